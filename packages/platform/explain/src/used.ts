import {
  type AnyObject,
  type DefinedKind,
  isReason,
  type Kind,
  type KubeClient,
  PersistentVolumeClaim,
} from "@trivium/kube";
import type { Relation } from "@trivium/reconcile";
import type { StatusReader } from "./status-reader.ts";
import { withKind } from "./with-kind.ts";

export interface Used {
  readonly uses: readonly AnyObject[];
  /** What it names and does not exist, or the caller cannot read. */
  readonly missing: readonly Relation[];
  /** What something that it uses needs in turn. */
  readonly behind?: readonly Behind[];
}

/** The claim that a model is in. */
export interface Behind {
  readonly user: AnyObject;
  readonly relation: Relation;
  /** Left out where there is none of that name. */
  readonly object?: AnyObject;
}

export interface UsedContext extends Pick<StatusReader, "guideOf"> {
  readonly kind: DefinedKind;
  /** Kinds that are looked up. */
  readonly kinds: readonly DefinedKind[];
}

/** What an object depends on: models, templates, caches, claims. */
export async function findUsed(
  client: KubeClient,
  object: AnyObject,
  { kind, kinds, guideOf }: UsedContext,
): Promise<Used> {
  const [uses, missing, behind]: [AnyObject[], Relation[], Behind[]] = [[], [], []];
  const known: readonly Kind[] = [...kinds.filter((each) => each.group === kind.group), PersistentVolumeClaim];
  for (const relation of guideOf(object).uses(object)) {
    const one = await findRelated(client, relation, { kinds: known, home: object.metadata.namespace });
    if (one === "refused" || one === undefined) missing.push(relation);
    else if (!uses.some(({ metadata }) => metadata.uid === one.metadata.uid)) uses.push(one);
  }
  for (const user of uses)
    for (const relation of guideOf(user).uses(user)) {
      const one = await findRelated(client, relation, { kinds: known, home: user.metadata.namespace });
      if (one !== "refused") behind.push({ user, relation, ...(one === undefined ? {} : { object: one }) });
    }
  return { uses, missing, behind };
}

interface Lookup {
  readonly kinds: readonly Kind[];
  /** The namespace of the object that names it. */
  readonly home: string | undefined;
}

/** The first of the kinds that has it, in the order of the relation. */
async function findRelated(
  client: KubeClient,
  { kinds, name, namespace }: Relation,
  { kinds: known, home }: Lookup,
): Promise<AnyObject | "refused" | undefined> {
  const candidates = known.filter((each) => kinds.includes(each.kind));
  let isRefused = false;
  for (const kind of candidates.toSorted((a, b) => kinds.indexOf(a.kind) - kinds.indexOf(b.kind))) {
    const place = namespace ?? home;
    // An object of the cluster that names a claim without its namespace, which is its fault, names none.
    if (kind.namespaced && place === undefined) continue;
    const ref = kind.namespaced ? { namespace: place, name } : { name };
    const one = await client.get(kind, ref).catch((error: unknown) => {
      isRefused ||= isReason(error, "Forbidden");
      return undefinedIfMissing(error);
    });
    if (one !== undefined) return withKind(kind, one);
  }
  return isRefused ? "refused" : undefined;
}

export function undefinedIfMissing(error: unknown): undefined {
  if (isReason(error, "NotFound", "Forbidden")) return undefined;
  throw error;
}
