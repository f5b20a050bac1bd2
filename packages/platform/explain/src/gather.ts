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
import type { Answered } from "@trivium/reconcile";
import type { SnapshotReads } from "@trivium/runtime";
import type { Instant } from "@trivium/std";
import { explainDecision } from "./decide.ts";
import { createStatusReader } from "./status-reader.ts";
import type { Subject, Wanted } from "./subject.ts";
import { findUsed, type Used, undefinedIfMissing } from "./used.ts";
import { withKind } from "./with-kind.ts";

/** An object with what belongs to it. */
export interface Part {
  readonly object: AnyObject;
  readonly parts: readonly Part[];
}

/** Everything that is reported of a subject. */
export interface Gathered extends Part, Used {
  /** What the decision says for itself. */
  readonly explanation: Explanation;
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

/** The names that objects of these kinds have. */
export async function findNames(client: KubeClient, { kinds }: Wanted, namespace: string): Promise<readonly string[]> {
  return (await listAll(client, kinds, namespace)).map(({ metadata }) => metadata.name ?? "");
}

export interface GatherOptions {
  readonly namespace: string;
  readonly dialects: readonly ServingDialect[];
  readonly answers?: readonly Answered[] | undefined;
  readonly now?: Instant;
}

/** Asks the API for an object and all that concerns it. */
export async function gather(
  client: KubeClient,
  { kind, name }: Subject,
  { namespace, dialects, answers, now = Date.now() }: GatherOptions,
): Promise<Gathered & { readonly reads: SnapshotReads }> {
  const kinds = dialects.flatMap((dialect) => dialect.kinds);
  const ref = kind.namespaced ? { namespace, name } : { name };
  const object = (await client.get(kind, ref)) as AnyObject;
  const [context, used, { explanation, reads }] = await Promise.all([
    listAll(
      client,
      [...partKinds, ...kinds.filter(({ group }) => group === kind.group)],
      kind.namespaced ? namespace : undefined,
    ),
    findUsed(client, object, { kind, kinds, guideOf: createStatusReader(dialects).guideOf }),
    explainDecision(client, object, { kind, dialects, answers, now }),
  ]);
  const parts = partsOf(object, context, new Set([object.metadata.uid]));
  const all = [object, ...flatten(parts), ...used.uses];
  const warnings = await warningsOf(client, all, object.metadata.namespace);
  return { object, parts, ...used, explanation, warnings, reads };
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
      return items.map((item) => withKind(kind, item));
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
