import type { api } from "@trivium/kube";
import { type FieldError, invalid, notSupported, required } from "@trivium/schema";
import { faultsOfConfigKey, faultsOfDnsSubdomain, faultsOfQualifiedName } from "@trivium/std";
import { invalidFor, requiredText } from "../checks/values.ts";

const variableName = "a valid environment variable name must consist only of printable ASCII characters other than '='";
const faultsOfVariable = (name: string): string[] => (/^[ -<>-~]+$/.test(name) ? [] : [variableName]);

export function checkEnv(at: string, variables: readonly api.EnvVar[] = []): FieldError[] {
  return variables.flatMap((variable, index) => {
    const here = `${at}[${index}]`;
    return [
      ...(variable.name
        ? invalidFor(`${here}.name`, variable.name, faultsOfVariable(variable.name))
        : [required(`${here}.name`)]),
      ...(variable.valueFrom ? checkSource(`${here}.valueFrom`, variable.valueFrom, variable.value ?? "") : []),
    ];
  });
}

const sources = ["fieldRef", "resourceFieldRef", "configMapKeyRef", "secretKeyRef", "fileKeyRef"] as const;

function checkSource(at: string, source: api.EnvVarSource, value: string): FieldError[] {
  const named = sources.filter((name) => source[name] !== undefined);
  const faults = [
    ...(source.fieldRef ? checkFieldRef(`${at}.fieldRef`, source.fieldRef, envFields) : []),
    ...(source.resourceFieldRef ? checkResourceRef(`${at}.resourceFieldRef`, source.resourceFieldRef) : []),
    ...(source.configMapKeyRef ? checkKeyRef(`${at}.configMapKeyRef`, source.configMapKeyRef) : []),
    ...(source.secretKeyRef ? checkKeyRef(`${at}.secretKeyRef`, source.secretKeyRef) : []),
  ];
  const list = "`fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`";
  if (named.length === 0) faults.push(invalid(at, "", `must specify one of: ${list}`));
  else if (value !== "") faults.push(invalid(at, "", "may not be specified when `value` is not empty"));
  else if (named.length > 1) faults.push(invalid(at, "", "may not have more than one field specified at a time"));
  return faults;
}

function checkKeyRef(at: string, { name = "", key }: api.SecretKeySelector): FieldError[] {
  return [
    ...invalidFor(`${at}.name`, name, faultsOfDnsSubdomain(name)),
    ...(key ? invalidFor(`${at}.key`, key, faultsOfConfigKey(key)) : [required(`${at}.key`)]),
  ];
}

const subscripted = ["metadata.annotations", "metadata.labels"];
/** Fields of its pod that a container may be told through its environment, and through a file. */
const envFields = [
  "metadata.name",
  "metadata.namespace",
  "metadata.uid",
  "spec.nodeName",
  "spec.serviceAccountName",
  "status.hostIP",
  "status.hostIPs",
  "status.podIP",
  "status.podIPs",
];
export const fileFields = [
  "metadata.annotations",
  "metadata.labels",
  "metadata.name",
  "metadata.namespace",
  "metadata.uid",
];
const convertible = new Set([...envFields, ...fileFields, "spec.restartPolicy", "spec.schedulerName"]);

export function checkFieldRef(at: string, ref: api.ObjectFieldSelector, fields: readonly string[]): FieldError[] {
  const path = ref.fieldPath;
  if (!path) return [required(`${at}.fieldPath`)];
  const parts = /^([^[]+)\['(.*)'\]$/.exec(path);
  if (parts !== null) return checkSubscript(at, parts[1] ?? "", parts[2] ?? "");
  if (!convertible.has(path)) {
    return [invalid(`${at}.fieldPath`, path, `error converting fieldPath: field label not supported: ${path}`)];
  }
  return fields.includes(path) ? [] : [notSupported(`${at}.fieldPath`, path, fields)];
}

function checkSubscript(at: string, path: string, key: string): FieldError[] {
  if (!subscripted.includes(path)) return [invalid(at, path, "does not support subscript")];
  const name = path === "metadata.annotations" ? key.toLowerCase() : key;
  return invalidFor(at, name, faultsOfQualifiedName(name));
}

const amounts = [
  "limits.cpu",
  "limits.ephemeral-storage",
  "limits.memory",
  "requests.cpu",
  "requests.ephemeral-storage",
  "requests.memory",
];

export function checkResourceRef(at: string, { resource }: api.ResourceFieldSelector): FieldError[] {
  if (!resource) return [required(`${at}.resource`)];
  const isKnown = amounts.includes(resource) || /^(limits|requests)\.hugepages-/.test(resource);
  return isKnown ? [] : [notSupported(`${at}.resource`, resource, amounts)];
}

export function checkEnvFrom(at: string, sources: readonly api.EnvFromSource[] = []): FieldError[] {
  return sources.flatMap((source, index) => {
    const here = `${at}[${index}]`;
    const refs = (["configMapRef", "secretRef"] as const).filter((name) => source[name] !== undefined);
    const faults = [
      ...(source.prefix ? invalidFor(`${here}.prefix`, source.prefix, faultsOfVariable(source.prefix)) : []),
      ...refs.flatMap((name) => checkEnvSource(`${here}.${name}`, source[name]?.name)),
    ];
    if (refs.length === 0) faults.push(invalid(at, "", "must specify one of: `configMapRef` or `secretRef`"));
    if (refs.length > 1) faults.push(invalid(at, "", "may not have more than one field specified at a time"));
    return faults;
  });
}

const checkEnvSource = (at: string, name: string | undefined): FieldError[] =>
  name ? invalidFor(`${at}.name`, name, faultsOfDnsSubdomain(name)) : requiredText(`${at}.name`, name);
