import type { Pod } from "@trivium/kube";
import { getOwn } from "@trivium/std";

/** What a pod is told of itself that its object may not say yet. */
export interface PodPlace {
  readonly address: string;
  readonly hostAddress: string;
  readonly nodeName: string;
}

/** The value of a `fieldRef`, or undefined for a field that the downward API does not give. */
export function readPodField(pod: Pod, fieldPath: string, place: PodPlace): string | undefined {
  const [, map, key] = /^metadata\.(labels|annotations)\['(.*)'\]$/.exec(fieldPath) ?? [];
  if (map !== undefined) return getOwn(pod.metadata[map as "labels" | "annotations"] ?? {}, key ?? "") ?? "";
  return getOwn(fields, fieldPath)?.(pod, place);
}

const fields: Readonly<Record<string, (pod: Pod, place: PodPlace) => string>> = {
  "metadata.name": ({ metadata }) => metadata.name ?? "",
  "metadata.namespace": ({ metadata }) => metadata.namespace ?? "",
  "metadata.uid": ({ metadata }) => metadata.uid ?? "",
  "metadata.labels": ({ metadata }) => formatMap(metadata.labels ?? {}),
  "metadata.annotations": ({ metadata }) => formatMap(metadata.annotations ?? {}),
  "spec.nodeName": ({ spec }, { nodeName }) => spec?.nodeName ?? nodeName,
  "spec.serviceAccountName": ({ spec }) => spec?.serviceAccountName ?? "default",
  "status.hostIP": (_, { hostAddress }) => hostAddress,
  "status.hostIPs": (_, { hostAddress }) => hostAddress,
  "status.podIP": (_, { address }) => address,
  "status.podIPs": (_, { address }) => address,
};

/** One `key="value"` a line, sorted, quoted as Go quotes. */
function formatMap(map: Readonly<Record<string, string>>): string {
  return Object.keys(map)
    .sort()
    .map((key) => `${key}=${JSON.stringify(map[key])}`)
    .join("\n");
}
