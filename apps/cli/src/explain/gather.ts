import type { Explanation, ServingDialect } from "@trivium/domain";
import {
  type AnyObject,
  type DefinedKind,
  Deployment,
  Event,
  HTTPRoute,
  isReason,
  Job,
  type Kind,
  type KubeClient,
  PersistentVolumeClaim,
  Pod,
  ReplicaSet,
  StatefulSet,
} from "@trivium/kube";
import { explainDecision } from "./decide.ts";
import { guideOf } from "./guides.ts";
import type { Subject, Wanted } from "./subject.ts";

/** An object with what belongs to it. */
export interface Part {
  readonly object: AnyObject;
  readonly parts: readonly Part[];
}

/** Everything that is told of a subject. */
export interface Gathered extends Part {
  /** What the decision says for itself. */
  readonly explanation: Explanation;
  /** What it stands on: models, templates, caches. */
  readonly uses: readonly AnyObject[];
  /** Of it and its parts, the newest last. */
  readonly warnings: readonly Event[];
}

/** Kinds that the objects of a dialect consist of, besides those of the dialects themselves. */
const partKinds: readonly Kind[] = [Deployment, ReplicaSet, StatefulSet, Job, Pod, PersistentVolumeClaim, HTTPRoute];

/** Of the kinds that were meant, those that have such an object. */
export async function findThere(
  client: KubeClient,
  { kinds, name }: Wanted,
  namespace: string,
): Promise<readonly DefinedKind[]> {
  const there = await Promise.all(
    kinds.map((kind) => client.get(kind, kind.namespaced ? { namespace, name } : { name }).catch(undefinedIfMissing)),
  );
  return kinds.filter((_, at) => there[at] !== undefined);
}

/** Asks the API for an object and all that concerns it. */
export async function gather(
  client: KubeClient,
  { kind, name }: Subject,
  { namespace, dialects }: { readonly namespace: string; readonly dialects: readonly ServingDialect[] },
): Promise<Gathered> {
  const kinds = dialects.flatMap((dialect) => dialect.kinds);
  const ref = kind.namespaced ? { namespace, name } : { name };
  const object = (await client.get(kind, ref)) as AnyObject;
  const [context, uses, explanation] = await Promise.all([
    listAll(
      client,
      [...partKinds, ...kinds.filter(({ group }) => group === kind.group)],
      kind.namespaced ? namespace : undefined,
    ),
    findUsed(client, object, { kind, kinds }),
    explainDecision(client, object, { kind, dialects }),
  ]);
  const parts = partsOf(object, context, new Set([object.metadata.uid]));
  const all = [object, ...flatten(parts), ...uses];
  return { object, parts, uses, explanation, warnings: await warningsOf(client, all, object.metadata.namespace) };
}

/** A kind that is not served, or may not be read, has nothing to tell. */
async function listAll(
  client: KubeClient,
  kinds: readonly Kind[],
  namespace: string | undefined,
): Promise<AnyObject[]> {
  const lists = await Promise.all(
    kinds.map(async (kind) => {
      const { items } = await client.list(kind, kind.namespaced ? { namespace } : {}).catch(nothingIfRefused);
      return items.map((item) => ({ ...item, kind: kind.kind }) as AnyObject);
    }),
  );
  return lists.flat();
}

function nothingIfRefused(error: unknown): { readonly items: readonly AnyObject[] } {
  if (isReason(error, "NotFound", "Forbidden", "MethodNotAllowed")) return { items: [] };
  throw error;
}

function partsOf(owner: AnyObject, context: readonly AnyObject[], seen: Set<string | undefined>): Part[] {
  const own = context.filter(
    ({ metadata }) =>
      !seen.has(metadata.uid) && (metadata.ownerReferences ?? []).some(({ uid }) => uid === owner.metadata.uid),
  );
  for (const { metadata } of own) seen.add(metadata.uid);
  return own.map((object) => ({ object, parts: partsOf(object, context, seen) }));
}

export const flatten = (parts: readonly Part[]): AnyObject[] =>
  parts.flatMap(({ object, parts: below }) => [object, ...flatten(below)]);

async function findUsed(
  client: KubeClient,
  object: AnyObject,
  { kind, kinds }: { readonly kind: DefinedKind; readonly kinds: readonly DefinedKind[] },
): Promise<AnyObject[]> {
  const found: AnyObject[] = [];
  for (const { kinds: names, name, namespace } of guideOf(object).uses(object)) {
    const candidates = kinds.filter((each) => each.group === kind.group && names.includes(each.kind));
    for (const candidate of candidates.sort((a, b) => names.indexOf(a.kind) - names.indexOf(b.kind))) {
      const ref = candidate.namespaced ? { namespace: namespace ?? object.metadata.namespace, name } : { name };
      const one = await client.get(candidate, ref).catch(undefinedIfMissing);
      if (one === undefined) continue;
      if (!found.some(({ metadata }) => metadata.uid === one.metadata.uid))
        found.push({ ...one, kind: candidate.kind } as AnyObject);
      break;
    }
  }
  return found;
}

function undefinedIfMissing(error: unknown): undefined {
  if (isReason(error, "NotFound", "Forbidden")) return undefined;
  throw error;
}

const maxWarnings = 8;

async function warningsOf(
  client: KubeClient,
  objects: readonly AnyObject[],
  namespace: string | undefined,
): Promise<Event[]> {
  const uids = new Set(objects.map(({ metadata }) => metadata.uid));
  const options = { fieldSelector: "type=Warning", ...(namespace === undefined ? {} : { namespace }) };
  const { items } = await client.list(Event, options).catch(() => ({ items: [] as Event[] }));
  return items
    .filter(({ involvedObject }) => uids.has(involvedObject.uid))
    .sort((a, b) => timeOf(a).localeCompare(timeOf(b)))
    .slice(-maxWarnings);
}

export const timeOf = ({ lastTimestamp, eventTime, metadata }: Event): string =>
  lastTimestamp ?? eventTime ?? metadata.creationTimestamp ?? "";
