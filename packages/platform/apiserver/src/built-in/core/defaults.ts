import type { api } from "@trivium/kube";
import { compareQuantity, parseQuantity } from "@trivium/std";

export function defaultSecret(secret: api.Secret): void {
  secret.type ||= "Opaque";
  if (secret.stringData === undefined) return;
  const given = Object.entries(secret.stringData).map(([key, text]) => [key, base64Of(text)] as const);
  secret.data = { ...secret.data, ...Object.fromEntries(given) };
  delete secret.stringData;
}

const base64Of = (text: string): string => Buffer.from(text, "utf8").toString("base64");

export function defaultNamespace(namespace: api.Namespace): void {
  const { name } = namespace.metadata;
  if (name) namespace.metadata.labels = { ...namespace.metadata.labels, "kubernetes.io/metadata.name": name };
}

export function defaultNode({ status }: api.Node): void {
  if (status?.capacity === undefined) return;
  status.allocatable = { ...status.capacity, ...status.allocatable };
}

export function defaultClaim({ spec }: api.PersistentVolumeClaim): void {
  spec.volumeMode ??= "Filesystem";
  if (spec.dataSource && !isOldSource(spec.dataSource)) delete spec.dataSource;
  // Two fields for one thing; a reference that crosses namespaces has no old form.
  if (spec.dataSource && !spec.dataSourceRef) spec.dataSourceRef = { ...spec.dataSource };
  else if (spec.dataSourceRef && !spec.dataSourceRef.namespace) spec.dataSource ??= { ...spec.dataSourceRef };
}

/** The old field knows other claims and snapshots; anything else in it is dropped without a word. */
function isOldSource({ apiGroup = "", kind }: api.TypedLocalObjectReference): boolean {
  if (apiGroup === "") return kind === "PersistentVolumeClaim";
  return apiGroup === "snapshot.storage.k8s.io" && kind === "VolumeSnapshot";
}

export function defaultVolume({ spec }: api.PersistentVolume): void {
  spec.persistentVolumeReclaimPolicy ||= "Retain";
  spec.volumeMode ??= "Filesystem";
  if (spec.hostPath) spec.hostPath.type ??= "";
}

export function defaultEndpoints(endpoints: api.Endpoints): void {
  for (const subset of endpoints.subsets ?? []) {
    for (const port of subset.ports ?? []) port.protocol ||= "TCP";
  }
}

/** A limit range that names only some bounds of containers implies the others. */
export function defaultLimitRange({ spec }: api.LimitRange): void {
  for (const item of spec.limits ?? []) {
    if (item.type !== "Container") continue;
    const bounds = { ...item.max, ...item.default };
    if (Object.keys(bounds).length > 0) item.default = bounds;
    const requests = { ...item.min, ...item.default, ...item.defaultRequest };
    if (Object.keys(requests).length > 0) item.defaultRequest = requests;
  }
}

/** Guaranteed: every container asks for cpu and memory and may use no more. BestEffort: nobody asks for anything. */
export function qosClassOf(spec: api.PodSpec): "Guaranteed" | "Burstable" | "BestEffort" {
  const all = spec.resources ? [spec] : [...spec.containers, ...(spec.initContainers ?? [])];
  const asked = all.flatMap(({ resources }) =>
    (["cpu", "memory"] as const).map(
      (name) => [positive(resources?.requests?.[name]), positive(resources?.limits?.[name])] as const,
    ),
  );
  if (asked.every(([request, limit]) => request === undefined && limit === undefined)) return "BestEffort";
  const isExact = asked.every(([request, limit]) => {
    if (limit === undefined) return false;
    return request === undefined || compareQuantity(request, limit) === 0;
  });
  return isExact ? "Guaranteed" : "Burstable";
}

function positive(value: number | string | undefined) {
  const quantity = value === undefined ? undefined : parseQuantity(value);
  const zero = parseQuantity(0);
  return quantity !== undefined && zero !== undefined && compareQuantity(quantity, zero) > 0 ? quantity : undefined;
}
