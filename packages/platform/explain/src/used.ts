import { type AnyObject, type DefinedKind, isReason, type KubeClient } from "@trivium/kube";
import type { Relation } from "@trivium/reconcile";
import type { StatusReader } from "./status-reader.ts";
import { withKind } from "./with-kind.ts";

export interface Used {
  readonly uses: readonly AnyObject[];
  /** What it names and does not exist, or the caller cannot read. */
  readonly missing: readonly Relation[];
}

export interface UsedContext extends Pick<StatusReader, "guideOf"> {
  readonly kind: DefinedKind;
  /** Kinds that are looked up. */
  readonly kinds: readonly DefinedKind[];
}

/** What an object depends on: models, templates, caches. */
export async function findUsed(
  client: KubeClient,
  object: AnyObject,
  { kind, kinds, guideOf }: UsedContext,
): Promise<Used> {
  const [uses, missing]: [AnyObject[], Relation[]] = [[], []];
  for (const relation of guideOf(object).uses(object)) {
    const candidates = kinds.filter((each) => each.group === kind.group && relation.kinds.includes(each.kind));
    const one = await findRelated(client, relation, { candidates, home: object.metadata.namespace });
    if (one === undefined) missing.push(relation);
    else if (!uses.some(({ metadata }) => metadata.uid === one.metadata.uid)) uses.push(one);
  }
  return { uses, missing };
}

/** The first of the kinds that has it, in the order of the relation. */
async function findRelated(
  client: KubeClient,
  { kinds, name, namespace }: Relation,
  { candidates, home }: { readonly candidates: readonly DefinedKind[]; readonly home: string | undefined },
): Promise<AnyObject | undefined> {
  for (const kind of candidates.toSorted((a, b) => kinds.indexOf(a.kind) - kinds.indexOf(b.kind))) {
    const ref = kind.namespaced ? { namespace: namespace ?? home, name } : { name };
    const one = await client.get(kind, ref).catch(undefinedIfMissing);
    if (one !== undefined) return withKind(kind, one);
  }
  return undefined;
}

export function undefinedIfMissing(error: unknown): undefined {
  if (isReason(error, "NotFound", "Forbidden")) return undefined;
  throw error;
}
