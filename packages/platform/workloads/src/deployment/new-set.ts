import type { Deployment, ReplicaSet } from "@trivium/kube";
import { templateHash } from "../pods/template-hash.ts";
import { isRolling, maxSurgeOf, wantedOf } from "./limits.ts";
import { sizeOf, sizeOfAll, templateHashLabel } from "./replica-sets.ts";
import { currentAnnotations, maxRevisionOf, sizeAnnotations } from "./revision.ts";

const maxName = 253;

/** The name that the set with the deployment's template will have. */
export function newSetName(deployment: Deployment): { readonly name: string; readonly hash: string } {
  const hash = templateHash(deployment.spec.template, deployment.status?.collisionCount);
  const base = (deployment.metadata.name ?? "").slice(0, maxName - hash.length - 1);
  return { name: `${base}-${hash}`, hash };
}

/** The set with the deployment's template, to be made. */
export function newSet(deployment: Deployment, old: readonly ReplicaSet[]): ReplicaSet {
  const { name, hash } = newSetName(deployment);
  const { minReadySeconds = 0, selector, template } = deployment.spec;
  const labels = { ...template.metadata?.labels, [templateHashLabel]: hash };
  const revision = maxRevisionOf(old) + 1;
  const annotations = { ...currentAnnotations(deployment, {}, revision), ...sizeAnnotations(deployment) };
  const { namespace } = deployment.metadata;
  return {
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    metadata: { name, ...(namespace === undefined ? {} : { namespace }), labels, annotations },
    spec: {
      replicas: spaceFor(deployment, old, 0),
      minReadySeconds,
      selector: { ...selector, matchLabels: { ...selector.matchLabels, [templateHashLabel]: hash } },
      template: { ...template, metadata: { ...template.metadata, labels } },
    },
  };
}

/** How large the current set may be, while the old ones are as large as they are. */
export function spaceFor(deployment: Deployment, old: readonly ReplicaSet[], size: number): number {
  const wanted = wantedOf(deployment);
  if (!isRolling(deployment)) return wanted;
  const space = wanted + maxSurgeOf(deployment) - sizeOfAll(old) - size;
  return space <= 0 ? size : size + Math.min(space, wanted - size);
}

/** A set that is there, as it should be; nothing when it is so already. */
export function changedSet(set: ReplicaSet, request: SetOptions): ReplicaSet | undefined {
  const { name, namespace, labels, annotations: before = {} } = set.metadata;
  const annotations = { ...before, ...request.annotations };
  const replicas = request.size ?? sizeOf(set);
  const minReadySeconds = request.minReadySeconds ?? set.spec.minReadySeconds ?? 0;
  const isSame =
    replicas === sizeOf(set) &&
    minReadySeconds === (set.spec.minReadySeconds ?? 0) &&
    Object.entries(annotations).every(([key, value]) => before[key] === value);
  if (isSame) return undefined;
  const metadata = { ...(name && { name }), ...(namespace && { namespace }), ...(labels && { labels }), annotations };
  const { selector, template } = set.spec;
  return {
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    metadata,
    spec: { replicas, minReadySeconds, selector, template },
  };
}

export interface SetOptions {
  readonly size?: number;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly minReadySeconds?: number;
}
