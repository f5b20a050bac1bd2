import { withKind } from "@trivium/explain";
import {
  type AnyObject,
  Deployment,
  HTTPRoute,
  isReason,
  Job,
  type Kind,
  type KubeClient,
  PersistentVolumeClaim,
  Pod,
  ReplicaSet,
  Service,
  StatefulSet,
} from "@trivium/kube";
import type { FoundService } from "./service.ts";

const partKinds: readonly Kind[] = [
  Deployment,
  ReplicaSet,
  StatefulSet,
  Job,
  Pod,
  Service,
  PersistentVolumeClaim,
  HTTPRoute,
];

/** Everything that a service owns, directly or through what it owns, itself first. */
export async function listOwned(client: KubeClient, { dialect, object }: FoundService): Promise<AnyObject[]> {
  const { namespace } = object.metadata;
  const kinds = [...partKinds, ...dialect.kinds.filter(({ namespaced }) => namespaced)];
  const lists = await Promise.all(kinds.map((kind) => listOf(client, kind, namespace)));
  const byUid = new Map(lists.flat().map((one) => [one.metadata.uid, one]));
  const isOwned = (one: AnyObject, depth = 0): boolean =>
    (one.metadata.ownerReferences ?? []).some(({ uid }) => {
      const owner = byUid.get(uid);
      return uid === object.metadata.uid || (owner !== undefined && depth < maxDepth && isOwned(owner, depth + 1));
    });
  return [object, ...[...byUid.values()].filter((one) => isOwned(one))];
}

/** No chain of owners is longer; one that is a circle ends here. */
const maxDepth = 8;

export async function listPods(client: KubeClient, service: FoundService): Promise<Pod[]> {
  const owned = await listOwned(client, service);
  return owned.filter(({ kind }) => kind === Pod.kind) as unknown as Pod[];
}

async function listOf(client: KubeClient, kind: Kind, namespace: string | undefined): Promise<AnyObject[]> {
  const { items } = await client.list(kind, namespace === undefined ? {} : { namespace }).catch((error: unknown) => {
    if (isReason(error, "NotFound", "Forbidden", "MethodNotAllowed")) return { items: [] };
    throw error;
  });
  return items.map((item) => withKind(kind, item));
}
