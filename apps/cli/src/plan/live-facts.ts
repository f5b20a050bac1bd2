import type { ServingDialect } from "@trivium/domain";
import {
  type AnyObject,
  groupResourceOf,
  isReason,
  Job,
  type Kind,
  type KubeClient,
  Namespace,
  ReplicaSet,
  StatefulSet,
} from "@trivium/kube";
import { followedKinds } from "@trivium/runtime";
import { servedKinds } from "../explain/facts.ts";
import type { Facts } from "../facts/facts.ts";

/** Kinds whose objects decide, change or own something when manifests are applied. */
export function plannedKinds(dialects: readonly ServingDialect[], more: readonly Kind[] = []): Kind[] {
  const followed = followedKinds(dialects.flatMap(({ reconcilers }) => reconcilers));
  const kinds = [...dialects.flatMap(({ kinds: own }) => own), ...followed, ...owners, ...more];
  return [...new Map(kinds.map((kind) => [groupResourceOf(kind), kind])).values()];
}

/** Without them their pods would be collected as garbage. */
const owners: readonly Kind[] = [Namespace, ReplicaSet, StatefulSet, Job];

export interface LiveOptions {
  readonly dialects: readonly ServingDialect[];
  readonly kinds: readonly Kind[];
  /** Where the caller cannot list all namespaces. */
  readonly namespaces: readonly string[];
}

/** The current state of an API, as far as the caller can read it. */
export async function readLive(client: KubeClient, { dialects, kinds, namespaces }: LiveOptions): Promise<Facts> {
  const unreadable: string[] = [];
  const readAll = Promise.all(
    kinds.map(async (kind) => {
      const objects = await listAll(client, kind, namespaces);
      if (objects === undefined) unreadable.push(groupResourceOf(kind));
      return objects ?? [];
    }),
  );
  const [lists, served] = await Promise.all([readAll, servedKinds(client, dialects)]);
  return { now: Date.now(), objects: lists.flat(), answers: [], unreadable, served };
}

async function listAll(
  client: KubeClient,
  kind: Kind,
  namespaces: readonly string[],
): Promise<readonly AnyObject[] | undefined> {
  try {
    return itemsOf(await client.list(kind), kind);
  } catch (error) {
    if (isReason(error, "NotFound", "MethodNotAllowed")) return [];
    if (!isReason(error, "Forbidden")) throw error;
  }
  if (!kind.namespaced) return undefined;
  try {
    const lists = await Promise.all(namespaces.map((namespace) => client.list(kind, { namespace })));
    return lists.flatMap((list) => itemsOf(list, kind));
  } catch (error) {
    if (isReason(error, "Forbidden")) return undefined;
    throw error;
  }
}

const itemsOf = ({ items }: { readonly items: readonly object[] }, { kind }: Kind): AnyObject[] =>
  items.map((item) => ({ ...item, kind }) as AnyObject);
