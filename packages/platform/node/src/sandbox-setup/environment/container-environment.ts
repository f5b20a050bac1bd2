import type { api, ConfigMap, Pod, Secret } from "@trivium/kube";
import { getOwn } from "@trivium/std";
import { ConfigFault } from "../config-fault.ts";
import { expandVariables } from "./expand-variables.ts";
import { type PodPlace, readPodField } from "./pod-field.ts";
import { readResourceField } from "./resource-field.ts";

/** Where the objects come from that a pod names. */
export interface References {
  secret(namespace: string, name: string): Promise<Secret | undefined>;
  configMap(namespace: string, name: string): Promise<ConfigMap | undefined>;
}

export interface EnvironmentInput {
  readonly pod: Pod;
  readonly container: api.Container;
  readonly place: PodPlace;
  readonly allocatable: Readonly<Record<string, string>>;
  /** Variables of Services, already chosen for the pod. */
  readonly services: ReadonlyMap<string, string>;
  readonly references: References;
}

export interface Variable {
  readonly value: string;
  /** A secret is handed on as it is: no path in it is rewritten, and it is never printed. */
  readonly isSecret: boolean;
}

/**
 * The variables that the spec of a container gives, by the rules of a kubelet: `envFrom` first, then `env` in order, each value
 * expanded with what came before it; Services last, where nothing else has their name.
 */
export async function environmentOf(input: EnvironmentInput): Promise<Map<string, Variable>> {
  const { container, services } = input;
  const variables = new Map<string, Variable>();
  for (const source of container.envFrom ?? []) await takeAll(input, source, variables);
  for (const variable of container.env ?? []) {
    const value = await readVariable(input, variable, variables);
    if (value !== undefined) variables.set(variable.name, value);
  }
  for (const [name, value] of services) if (!variables.has(name)) variables.set(name, { value, isSecret: false });
  return variables;
}

async function takeAll(
  { pod, references }: EnvironmentInput,
  { prefix = "", configMapRef, secretRef }: api.EnvFromSource,
  variables: Map<string, Variable>,
): Promise<void> {
  const namespace = pod.metadata.namespace ?? "default";
  const take = (key: string, variable: Variable) => {
    if (isName(`${prefix}${key}`)) variables.set(`${prefix}${key}`, variable);
  };
  if (configMapRef !== undefined) {
    const { name = "", optional = false } = configMapRef;
    const found = present(await references.configMap(namespace, name), optional, `configmap "${name}" not found`);
    for (const [key, value] of Object.entries(found?.data ?? {})) take(key, { value, isSecret: false });
  } else if (secretRef !== undefined) {
    const { name = "", optional = false } = secretRef;
    const found = present(await references.secret(namespace, name), optional, `secret "${name}" not found`);
    for (const [key, text] of Object.entries(found?.data ?? {})) take(key, { value: decoded(text), isSecret: true });
  }
}

async function readVariable(
  input: EnvironmentInput,
  { value = "", valueFrom }: api.EnvVar,
  before: ReadonlyMap<string, Variable>,
): Promise<Variable | undefined> {
  if (value !== "" || valueFrom === undefined) return expanded(value, before, input.services);
  const { fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef } = valueFrom;
  if (configMapKeyRef !== undefined) return fromConfigMap(input, configMapKeyRef);
  if (secretKeyRef !== undefined) return fromSecret(input, secretKeyRef);
  const { pod, container, place, allocatable } = input;
  if (fieldRef !== undefined) {
    const field = readPodField(pod, fieldRef.fieldPath, place);
    if (field === undefined) throw new ConfigFault(`unsupported fieldPath: ${fieldRef.fieldPath}`);
    return { value: field, isSecret: false };
  }
  if (resourceFieldRef !== undefined) {
    const named = namedContainer(pod, resourceFieldRef.containerName) ?? container;
    const amount = readResourceField(named, resourceFieldRef, allocatable);
    if (amount === undefined) throw new ConfigFault(`unsupported container resource : ${resourceFieldRef.resource}`);
    return { value: amount, isSecret: false };
  }
  throw new ConfigFault("fileKeyRef is not supported for a local process");
}

/** A value that holds a secret is one itself. */
function expanded(
  text: string,
  before: ReadonlyMap<string, Variable>,
  services: ReadonlyMap<string, string>,
): Variable {
  let isSecret = false;
  const value = expandVariables(text, (name) => {
    const known = before.get(name);
    if (known?.isSecret) isSecret = true;
    return known?.value ?? services.get(name);
  });
  return { value, isSecret };
}

async function fromConfigMap(
  { pod, references }: EnvironmentInput,
  { name = "", key, optional = false }: api.ConfigMapKeySelector,
): Promise<Variable | undefined> {
  const namespace = pod.metadata.namespace ?? "default";
  const found = present(await references.configMap(namespace, name), optional, `configmap "${name}" not found`);
  const value = getOwn(found?.data ?? {}, key);
  const missing = `couldn't find key ${key} in ConfigMap ${namespace}/${name}`;
  return present(value === undefined ? undefined : { value, isSecret: false }, optional, missing);
}

async function fromSecret(
  { pod, references }: EnvironmentInput,
  { name = "", key, optional = false }: api.SecretKeySelector,
): Promise<Variable | undefined> {
  const namespace = pod.metadata.namespace ?? "default";
  const found = present(await references.secret(namespace, name), optional, `secret "${name}" not found`);
  const text = getOwn(found?.data ?? {}, key);
  const missing = `couldn't find key ${key} in Secret ${namespace}/${name}`;
  return present(text === undefined ? undefined : { value: decoded(text), isSecret: true }, optional, missing);
}

function present<T>(value: T | undefined, isOptional: boolean, fault: string): T | undefined {
  if (value === undefined && !isOptional) throw new ConfigFault(fault);
  return value;
}

function namedContainer({ spec }: Pod, name: string | undefined): api.Container | undefined {
  return [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])].find((each) => each.name === name);
}

const decoded = (text: string): string => Buffer.from(text, "base64").toString("utf8");

/** What a process can be given as the name of a variable. */
const isName = (name: string): boolean => /^[ -<>-~]+$/.test(name);
