import type { ServingDialect } from "@trivium/domain";
import { flatten, type Gathered } from "@trivium/explain";
import { type AnyObject, groupResourceOf, isReason, type Kind, type KubeClient } from "@trivium/kube";
import type { SnapshotReads } from "@trivium/runtime";
import type { Facts } from "../facts/facts.ts";
import { thirdPartyKinds } from "../facts/kinds.ts";

/** What an explanation was made of: the object, what concerns it, and all that its decision read. */
export async function factsOf(
  client: KubeClient,
  { object, parts, uses, warnings, reads }: Gathered & { readonly reads: SnapshotReads },
  context: Pick<Facts, "now" | "options"> & { readonly dialects: readonly ServingDialect[] },
): Promise<Facts> {
  const { now, options, dialects } = context;
  const related = [...warnings, ...reads.objects] as readonly object[] as readonly AnyObject[];
  const all = [object, ...uses, ...flatten(parts), ...related];
  const { apiVersion, kind, metadata } = object;
  return {
    now,
    options,
    subject: { apiVersion, kind, namespace: metadata.namespace, name: metadata.name ?? "" },
    objects: distinct(all),
    answers: reads.answers,
    unreadable: reads.unreadable,
    served: await servedKinds(client, dialects),
  };
}

/** Kinds of other projects that this API serves. */
export async function servedKinds(client: KubeClient, dialects: readonly ServingDialect[]): Promise<Kind[]> {
  const served = await client.discover().catch((error: unknown) => {
    if (isReason(error, "Forbidden")) return [];
    throw error;
  });
  const names = new Set(served.map(groupResourceOf));
  return thirdPartyKinds(dialects).filter((kind) => names.has(groupResourceOf(kind)));
}

const distinct = (objects: readonly AnyObject[]): AnyObject[] => [
  ...new Map(objects.map((one) => [one.metadata.uid ?? `${one.kind} ${one.metadata.name}`, one])).values(),
];
