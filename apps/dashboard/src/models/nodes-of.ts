import type { StoredWeights } from "@trivium/domain";
import type { AnyObject } from "@trivium/kube";

interface PodFields {
  readonly spec?: {
    readonly nodeName?: string;
    readonly volumes?: readonly { readonly persistentVolumeClaim?: { readonly claimName: string } }[];
  };
  readonly status?: { readonly phase?: string };
}

/** The nodes that have the weights, or that run a pod which reads them. */
export function nodesOf(
  { metadata }: AnyObject,
  { nodes = [], claim, readers }: StoredWeights = {},
  pods: readonly AnyObject[],
): string[] {
  const isReader = (pod: AnyObject): boolean =>
    pod.metadata.namespace === metadata.namespace &&
    ((claim !== undefined && claimsOf(pod).includes(claim)) || (readers !== undefined && hasLabels(pod, readers)));
  const read = pods.filter(isReader).flatMap((pod) => (pod as PodFields).spec?.nodeName ?? []);
  return [...new Set([...nodes, ...read])].sort();
}

const claimsOf = (pod: AnyObject): string[] =>
  (pod as PodFields).spec?.volumes?.flatMap(({ persistentVolumeClaim: one }) => one?.claimName ?? []) ?? [];

const hasLabels = ({ metadata }: AnyObject, labels: Readonly<Record<string, string>>): boolean =>
  Object.entries(labels).every(([name, value]) => metadata.labels?.[name] === value);
