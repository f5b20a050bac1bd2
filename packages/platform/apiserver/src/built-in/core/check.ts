import type {
  api,
  ConfigMap,
  Namespace,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  PodTemplate,
  ReplicationController,
  ResourceQuota,
  Secret,
} from "@trivium/kube";
import { type FieldError, forbidden, invalid, notSupported, required, tooLong } from "@trivium/schema";
import { compareQuantity, deepEqual, faultsOfConfigKey, type Json, parseQuantity } from "@trivium/std";
import { checkForever } from "../apps/check.ts";
import { checkLabels } from "../checks/labels.ts";
import {
  dnsSubdomain,
  immutable,
  immutableOnce,
  invalidFor,
  nonNegative,
  oneOf,
  qualifiedName,
} from "../checks/values.ts";
import { checkNodeSelector } from "../pod-template/check-scheduling.ts";
import { checkPodTemplate } from "../pod-template/check-spec.ts";
import { checkHostPath } from "../pod-template/check-volume.ts";
import { checkAccessModes, checkClaimSpec, checkPositive, volumeModes } from "./check-claim-spec.ts";

const mostBytes = 1024 * 1024;
const sealed = "field is immutable when `immutable` is set";

export function checkConfigMap(map: ConfigMap, old?: ConfigMap): FieldError[] {
  const { data = {}, binaryData = {} } = map;
  const size = [...Object.values(data), ...Object.values(binaryData)].reduce(
    (sum, text) => sum + Buffer.byteLength(text),
    0,
  );
  return [
    ...(old?.immutable ? checkSealed(map, old, ["data", "binaryData"]) : []),
    ...Object.keys(data).flatMap((key) => [
      ...invalidFor(`data[${key}]`, key, faultsOfConfigKey(key)),
      ...(key in binaryData ? [invalid(`data[${key}]`, key, "duplicate of key present in binaryData")] : []),
    ]),
    ...Object.keys(binaryData).flatMap((key) => invalidFor(`binaryData[${key}]`, key, faultsOfConfigKey(key))),
    ...(size > mostBytes ? [tooLong("", mostBytes)] : []),
  ];
}

function checkSealed<O extends { immutable?: boolean | undefined }>(
  next: O,
  old: O,
  fields: readonly (keyof O & string)[],
): FieldError[] {
  return [
    ...(next.immutable ? [] : [forbidden("immutable", sealed)]),
    ...fields.flatMap((field) => immutableOnce(field, next[field] ?? {}, old[field] ?? {}, sealed)),
  ];
}

/** What a Secret of a known type must hold. */
const secretKeys: Readonly<Record<string, readonly string[]>> = {
  "kubernetes.io/dockercfg": [".dockercfg"],
  "kubernetes.io/dockerconfigjson": [".dockerconfigjson"],
  "kubernetes.io/ssh-auth": ["ssh-privatekey"],
  "kubernetes.io/tls": ["tls.crt", "tls.key"],
};

export function checkSecret(secret: Secret, old?: Secret): FieldError[] {
  const { data = {}, type = "Opaque" } = secret;
  const size = Object.values(data).reduce((sum, text) => sum + (text.length / 4) * 3, 0);
  const missing = (secretKeys[type] ?? []).filter((key) => !(key in data));
  const lacksBasic = type === "kubernetes.io/basic-auth" && !("username" in data) && !("password" in data);
  return [
    ...(old === undefined ? [] : immutable("type", type, old.type)),
    ...(old?.immutable ? checkSealed(secret, old, ["data"]) : []),
    ...Object.keys(data).flatMap((key) => invalidFor(`data[${key}]`, key, faultsOfConfigKey(key))),
    ...(size > mostBytes ? [tooLong("data", mostBytes)] : []),
    ...missing.map((key) => required(`data[${key}]`)),
    ...(lacksBasic ? ["username", "password"].map((key) => required(`data[${key}]`)) : []),
    ...checkAccountToken(secret),
    ...checkDockerJson(secret),
  ];
}

function checkAccountToken({ type, metadata }: Secret): FieldError[] {
  if (type !== "kubernetes.io/service-account-token") return [];
  const key = "kubernetes.io/service-account.name";
  return metadata.annotations?.[key] ? [] : [required(`metadata.annotations[${key}]`)];
}

function checkDockerJson({ type, data }: Secret): FieldError[] {
  const key =
    type === "kubernetes.io/dockerconfigjson"
      ? ".dockerconfigjson"
      : type === "kubernetes.io/dockercfg"
        ? ".dockercfg"
        : "";
  const text = data?.[key];
  if (text === undefined) return [];
  try {
    JSON.parse(Buffer.from(text, "base64").toString("utf8"));
    return [];
  } catch {
    return [invalid(`data[${key}]`, "<secret contents redacted>", "invalid character in JSON")];
  }
}

export function checkNamespace({ spec }: Namespace): FieldError[] {
  return (spec?.finalizers ?? []).flatMap((name) => qualifiedName("spec.finalizers", name));
}

export function checkNode(node: Node, old?: Node): FieldError[] {
  const taints = node.spec?.taints ?? [];
  const effects = ["NoSchedule", "PreferNoSchedule", "NoExecute"];
  const { podCIDR, providerID } = node.spec ?? {};
  return [
    ...taints.flatMap(({ key, value, effect }, index) => [
      ...qualifiedName(`metadata.taints[${index}].key`, key),
      ...checkLabels(`metadata.taints[${index}].value`, value ? { [key]: value } : {}),
      ...oneOf(`metadata.taints[${index}].effect`, effect, effects),
    ]),
    ...(old?.spec?.podCIDR && old.spec.podCIDR !== podCIDR
      ? [forbidden("spec.podCIDRs", 'node updates may not change podCIDR except from "" to valid')]
      : []),
    ...(old?.spec?.providerID && old.spec.providerID !== providerID
      ? [forbidden("spec.providerID", 'node updates may not change providerID except from "" to valid')]
      : []),
  ];
}

export function checkClaim({ spec, status }: PersistentVolumeClaim, old?: PersistentVolumeClaim): FieldError[] {
  const faults = checkClaimSpec("spec", spec);
  if (old === undefined) return faults;
  return [
    ...faults,
    ...checkClaimChange(spec, old.spec, { isBound: (old.status?.phase ?? status?.phase) === "Bound" }),
  ];
}

const claimMayChange =
  "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims";

function checkClaimChange(
  spec: api.PersistentVolumeClaimSpec,
  old: api.PersistentVolumeClaimSpec,
  { isBound }: { isBound: boolean },
): FieldError[] {
  const grown = spec.resources?.requests?.storage;
  const before = old.resources?.requests?.storage;
  const next = structuredClone(spec);
  if (!old.volumeName) restore(next, old, "volumeName");
  if (isBound) restore(next, old, "resources");
  restore(next, old, "volumeAttributesClassName");
  if (old.storageClassName === undefined) restore(next, old, "storageClassName");
  if (!deepEqual(next, old)) return [forbidden("spec", claimMayChange)];
  const [a, b] = [parseQuantity(grown ?? 0), parseQuantity(before ?? 0)];
  const shrinks = isBound && a !== undefined && b !== undefined && compareQuantity(a, b) < 0;
  return shrinks ? [forbidden("spec.resources.requests.storage", "field can not be less than status.capacity")] : [];
}

function restore<T extends object, K extends keyof T>(target: T, source: T, field: K): void {
  if (source[field] === undefined) delete target[field];
  else target[field] = source[field];
}

const volumeKinds = [
  "hostPath",
  "nfs",
  "local",
  "csi",
  "iscsi",
  "fc",
  "cephfs",
  "rbd",
  "azureDisk",
  "azureFile",
  "awsElasticBlockStore",
  "gcePersistentDisk",
  "vsphereVolume",
  "cinder",
  "flexVolume",
  "glusterfs",
  "portworxVolume",
  "scaleIO",
  "storageos",
  "quobyte",
  "flocker",
  "photonPersistentDisk",
] as const;

export function checkVolume({ spec }: PersistentVolume, old?: PersistentVolume): FieldError[] {
  const capacity = spec.capacity ?? {};
  const [first, ...more] = volumeKinds.filter((kind) => spec[kind] !== undefined);
  const lacksStorage = capacity.storage === undefined || Object.keys(capacity).length > 1;
  return [
    ...((spec.accessModes ?? []).length === 0 ? [required("spec.accessModes")] : []),
    ...checkAccessModes("spec.accessModes", spec.accessModes ?? []),
    ...(Object.keys(capacity).length === 0 ? [required("spec.capacity")] : []),
    ...(lacksStorage ? [notSupported("spec.capacity", (spec.capacity ?? null) as Json, ["storage"])] : []),
    ...Object.entries(capacity).flatMap(([name, amount]) => checkPositive(`spec.capacity[${name}]`, amount)),
    ...oneOf("spec.persistentVolumeReclaimPolicy", spec.persistentVolumeReclaimPolicy, ["Delete", "Recycle", "Retain"]),
    ...(spec.nodeAffinity?.required ? checkNodeSelector("spec.nodeAffinity.required", spec.nodeAffinity.required) : []),
    ...(spec.hostPath ? checkHostPath("spec.hostPath", spec.hostPath) : []),
    ...(spec.local && !spec.nodeAffinity ? [required("spec.nodeAffinity", "Local volume requires node affinity")] : []),
    ...more.map((kind) => forbidden(`spec.${kind}`, "may not specify more than 1 volume type")),
    ...(first === undefined ? [required("spec", "must specify a volume type")] : []),
    ...(spec.storageClassName ? dnsSubdomain("spec.storageClassName", spec.storageClassName) : []),
    ...oneOf("spec.volumeMode", spec.volumeMode, volumeModes),
    ...(old === undefined ? [] : checkVolumeChange(spec, old.spec)),
  ];
}

function checkVolumeChange(spec: api.PersistentVolumeSpec, old: api.PersistentVolumeSpec): FieldError[] {
  const source = (one: api.PersistentVolumeSpec) => Object.fromEntries(volumeKinds.map((kind) => [kind, one[kind]]));
  const moved = !deepEqual(source(spec), source(old));
  return [
    ...(moved
      ? [forbidden("spec.persistentvolumesource", "spec.persistentvolumesource is immutable after creation")]
      : []),
    ...immutable("volumeMode", spec.volumeMode, old.volumeMode),
  ];
}

const quotaNames = new Set([
  ...["cpu", "memory", "ephemeral-storage", "storage", "pods", "services", "secrets", "configmaps"],
  ...["persistentvolumeclaims", "resourcequotas", "replicationcontrollers"],
  ...["requests.cpu", "requests.memory", "requests.storage", "requests.ephemeral-storage"],
  ...["limits.cpu", "limits.memory", "limits.ephemeral-storage"],
  ...["services.nodeports", "services.loadbalancers"],
]);

export function checkResourceQuota({ spec }: ResourceQuota): FieldError[] {
  return Object.entries(spec.hard ?? {}).flatMap(([name, amount]) => {
    const at = `spec.hard[${name}]`;
    const isKnown = name.includes("/") || quotaNames.has(name);
    const unknown = ["must be a standard resource type or fully qualified", "must be a standard resource for quota"];
    const negative = String(amount).startsWith("-")
      ? [invalid(at, String(amount), "must be greater than or equal to 0")]
      : [];
    return [...(isKnown ? qualifiedName(at, name) : invalidFor(at, name, unknown)), ...negative];
  });
}

export const checkPodTemplateObject = ({ template }: PodTemplate): FieldError[] =>
  checkPodTemplate("template", template ?? { spec: { containers: [] } });

export function checkReplicationController({ spec }: ReplicationController): FieldError[] {
  const { selector = {}, template } = spec;
  const labels = template?.metadata?.labels ?? {};
  const matches = Object.entries(selector).every(([key, value]) => labels[key] === value);
  return [
    ...nonNegative("spec.minReadySeconds", spec.minReadySeconds),
    ...(Object.keys(selector).length === 0 ? [required("spec.selector")] : []),
    ...nonNegative("spec.replicas", spec.replicas),
    ...(template === undefined ? [required("spec.template")] : []),
    ...(matches
      ? []
      : [invalid("spec.template.metadata.labels", labels, "`selector` does not match template `labels`")]),
    ...(template === undefined ? [] : checkPodTemplate("spec.template", template)),
    ...(template === undefined ? [] : checkForever(template, "ReplicationController")),
  ];
}
