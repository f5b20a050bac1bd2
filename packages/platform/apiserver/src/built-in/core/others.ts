import type {
  api,
  ConfigMap,
  Endpoints,
  Event,
  LimitRange,
  Namespace,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  PodTemplate,
  ReplicationController,
  ResourceQuota,
  Secret,
  ServiceAccount,
} from "@trivium/kube";
import { faultsOfDnsLabel, formatTime } from "@trivium/std";
import { defaultReplicationController } from "../apps/defaults.ts";
import { checkEndpoints } from "../networking/check.ts";
import { defaultPodTemplate } from "../pod-template/default-spec.ts";
import { containerImages, containerNames, formatLabels } from "../table/text.ts";
import { traits } from "../traits.ts";
import {
  checkClaim,
  checkConfigMap,
  checkNamespace,
  checkNode,
  checkPodTemplateObject,
  checkReplicationController,
  checkResourceQuota,
  checkSecret,
  checkVolume,
} from "./check.ts";
import { checkEvent } from "./check-event.ts";
import { checkLimitRange } from "./check-limit-range.ts";
import {
  defaultClaim,
  defaultEndpoints,
  defaultLimitRange,
  defaultNamespace,
  defaultNode,
  defaultSecret,
  defaultVolume,
} from "./defaults.ts";
import { eventCells } from "./event-table.ts";
import { nodeCells } from "./node-table.ts";

export const configMap = traits<ConfigMap>({
  validate: checkConfigMap,
  cells: { Data: ({ data, binaryData }) => sizeOf(data) + sizeOf(binaryData) },
});

export const secret = traits<Secret>({
  validate: checkSecret,
  defaults: defaultSecret,
  selectableFields: ["type"],
  cells: { Type: ({ type }) => type ?? "", Data: ({ data }) => sizeOf(data) },
});

const sizeOf = (map: object | undefined): number => Object.keys(map ?? {}).length;

export const serviceAccount = traits<ServiceAccount>({});

export const namespace = traits<Namespace>({
  validateName: faultsOfDnsLabel,
  validate: checkNamespace,
  defaults: defaultNamespace,
  prepareForCreate: (object) => {
    object.spec = { finalizers: [...new Set(["kubernetes", ...(object.spec?.finalizers ?? [])])] };
    object.status = { phase: "Active" };
  },
  prepareForUpdate: (object, old) => {
    object.spec = { ...object.spec, finalizers: old.spec?.finalizers };
  },
  selectableFields: ["status.phase"],
  cells: { Status: ({ status }) => status?.phase ?? "" },
});

export const node = traits<Node>({
  validate: checkNode,
  defaults: defaultNode,
  keepsStatusOnCreate: true,
  selectableFields: ["spec.unschedulable"],
  cells: nodeCells,
});

export const event = traits<Event>({
  validate: checkEvent,
  allowsCreateOnUpdate: true,
  selectableFields: [
    ...["kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath"].map(
      (name) => `involvedObject.${name}`,
    ),
    "reason",
    "reportingComponent",
    "source",
    "type",
  ],
  cells: eventCells,
});

export const endpoints = traits<Endpoints>({
  validate: checkEndpoints,
  warning: "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice",
  defaults: defaultEndpoints,
  cells: { Endpoints: ({ subsets }) => formatSubsets(subsets ?? []) },
});

function formatSubsets(subsets: readonly api.EndpointSubset[]): string {
  if (subsets.length === 0) return "<none>";
  const all = subsets.flatMap(({ addresses = [], ports }) =>
    (ports ?? [undefined]).flatMap((port) =>
      (addresses ?? []).map(({ ip }) => (port ? `${bracketed(ip)}:${port.port}` : ip)),
    ),
  );
  const head = all.slice(0, 3).join(",");
  return all.length > 3 ? `${head} + ${all.length - 3} more...` : head;
}

const bracketed = (ip: string): string => (ip.includes(":") ? `[${ip}]` : ip);

const shortModes: Readonly<Record<string, string>> = {
  ReadWriteOnce: "RWO",
  ReadOnlyMany: "ROX",
  ReadWriteMany: "RWX",
  ReadWriteOncePod: "RWOP",
};
const modesText = (modes: readonly string[] = []): string =>
  Object.keys(shortModes)
    .filter((mode) => modes.includes(mode))
    .map((mode) => shortModes[mode])
    .join(",");

const betaClass = "volume.beta.kubernetes.io/storage-class";

export const persistentVolumeClaim = traits<PersistentVolumeClaim>({
  validate: checkClaim,
  defaults: defaultClaim,
  prepareForCreate: (object) => {
    object.status = { phase: "Pending" };
  },
  cells: {
    Status: ({ metadata, status }) => (metadata.deletionTimestamp ? "Terminating" : (status?.phase ?? "")),
    Volume: ({ spec }) => spec.volumeName ?? "",
    Capacity: ({ spec, status }) => (spec.volumeName ? String(status?.capacity?.storage ?? "0") : ""),
    "Access Modes": ({ spec, status }) => (spec.volumeName ? modesText(status?.accessModes) : ""),
    StorageClass: ({ metadata, spec }) => metadata.annotations?.[betaClass] ?? spec.storageClassName ?? "",
    VolumeAttributesClass: ({ spec }) => spec.volumeAttributesClassName ?? "<unset>",
    VolumeMode: ({ spec }) => spec.volumeMode ?? "<unset>",
  },
});

export const persistentVolume = traits<PersistentVolume>({
  validate: checkVolume,
  defaults: defaultVolume,
  prepareForCreate: (object, { now }) => {
    object.status = { phase: "Pending", lastPhaseTransitionTime: formatTime(now) };
  },
  cells: {
    Capacity: ({ spec }) => String(spec.capacity?.storage ?? "0"),
    "Access Modes": ({ spec }) => modesText(spec.accessModes),
    "Reclaim Policy": ({ spec }) => spec.persistentVolumeReclaimPolicy ?? "",
    Status: ({ metadata, status }) => (metadata.deletionTimestamp ? "Terminating" : (status?.phase ?? "")),
    Claim: ({ spec }) => (spec.claimRef ? `${spec.claimRef.namespace ?? ""}/${spec.claimRef.name ?? ""}` : ""),
    StorageClass: ({ metadata, spec }) => metadata.annotations?.[betaClass] ?? spec.storageClassName ?? "",
    VolumeAttributesClass: ({ spec }) => spec.volumeAttributesClassName ?? "<unset>",
    Reason: ({ status }) => status?.reason ?? "",
    VolumeMode: ({ spec }) => spec.volumeMode ?? "<unset>",
  },
});

export const podTemplate = traits<PodTemplate>({
  validate: checkPodTemplateObject,
  hasGeneration: true,
  defaults: ({ template }) => defaultPodTemplate(template),
  cells: {
    Containers: ({ template }) => containerNames(template),
    Images: ({ template }) => containerImages(template),
    "Pod Labels": ({ template }) => formatLabels(template?.metadata?.labels),
  },
});

export const replicationController = traits<ReplicationController>({
  validate: checkReplicationController,
  hasGeneration: true,
  defaultPropagation: "Orphan",
  defaults: defaultReplicationController,
  selectableFields: ["status.replicas"],
  scale: {
    specReplicasPath: ".spec.replicas",
    statusReplicasPath: ".status.replicas",
    labelSelectorPath: ".spec.selector",
  },
  cells: {
    Desired: ({ spec }) => spec.replicas ?? 0,
    Current: ({ status }) => status?.replicas ?? 0,
    Ready: ({ status }) => status?.readyReplicas ?? 0,
    Containers: ({ spec }) => containerNames(spec.template),
    Images: ({ spec }) => containerImages(spec.template),
    Selector: ({ spec }) => formatLabels(spec.selector),
  },
});

export const limitRange = traits<LimitRange>({
  validate: checkLimitRange,
  defaults: defaultLimitRange,
});

export const resourceQuota = traits<ResourceQuota>({
  validate: checkResourceQuota,
  cells: {
    Request: ({ status }) => quotaText(status, (name) => !name.startsWith("limits.")),
    Limit: ({ status }) => quotaText(status, (name) => name.startsWith("limits.")),
  },
});

function quotaText(status: api.ResourceQuotaStatus | undefined, isWanted: (name: string) => boolean): string {
  const names = Object.keys(status?.hard ?? {})
    .filter(isWanted)
    .sort();
  return names.map((name) => `${name}: ${status?.used?.[name] ?? 0}/${status?.hard?.[name] ?? 0}`).join(", ");
}
