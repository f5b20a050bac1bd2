import { type CacheWeight, planSpace, type SpaceGrant } from "@trivium/engines";
import { formatTime, type Instant, type Millis, parseTime } from "@trivium/std";
import type { ObservedBudget, ObservedEviction } from "./observe.ts";
import type { CacheUse } from "./observed/cache-uses.ts";
import type { CacheRecord } from "./record/cache-record.ts";

/** What becomes of one directory of the cache. */
export interface CacheEntry {
  readonly key: string;
  /** A Model that uses it, else the name of the last that did. */
  readonly model: string;
  /** What messages call it: the Model, or the last that had it, with the key. */
  readonly name: string;
  readonly isNeeded: boolean;
  /** Neither a Model nor a pod has these weights. */
  readonly isLeft: boolean;
  readonly source?: string | undefined;
  readonly bytes?: number | undefined;
  /** As it should be recorded; undefined for weights that are not cached, and not to be. */
  readonly record?: CacheRecord | undefined;
  /** For a service that waits. */
  readonly grant?: SpaceGrant | undefined;
  /** The record of weights that were deleted just now. */
  readonly evicted?: CacheRecord | undefined;
  /** How far the Job is that deletes them. */
  readonly eviction?: ObservedEviction["is"] | undefined;
  /** Whether its Job can run: that it is to go was recorded in an earlier pass, and nothing has used it since. */
  readonly isRemovable: boolean;
}

const terms = {
  kind: "cached weights of Model",
  remedy: "raise annotation trivium.dev/cache-budget of the namespace, or delete services that use cached Models",
};

/** Shares the budget among the weights that are cached and those that services wait for. */
export function lowerEntries(namespace: string, observed: ObservedBudget, now: Instant): CacheEntry[] {
  const before = keysOf(observed).map((key) => entryOf(key, observed, now));
  const weights = before.flatMap((entry) => weightOf(entry, { observed, now }) ?? []);
  const { spaces, evicted } = planSpace(weights, { ...terms, namespace });
  return before.map((entry) => {
    const needed = evicted.get(entry.name);
    if (entry.record !== undefined)
      return needed === undefined ? entry : { ...entry, record: { ...entry.record, state: "evicting", needed } };
    // Weights of unknown size cannot be compared with the budget, so they are not held back.
    const grant = entry.isNeeded && entry.bytes === undefined ? granted : spaces.get(entry.name);
    return grant?.is === "granted" ? { ...entry, record: recordOf(entry, "granted") } : { ...entry, grant };
  });
}

const granted: SpaceGrant = { is: "granted" };

const keysOf = ({ record, models, uses }: ObservedBudget): string[] => {
  const recorded = record.is === "known" ? record.value : [];
  return [...new Set([...recorded, ...models, ...uses].map(({ key }) => key))].sort();
};

function entryOf(key: string, observed: ObservedBudget, now: Instant): CacheEntry {
  const { record, models, uses, evictions, keepSeconds } = observed;
  const before = record.is === "known" ? record.value.find((one) => one.key === key) : undefined;
  const named = models.filter((model) => model.key === key).sort((a, b) => (a.name < b.name ? -1 : 1));
  const bytes = named.find((model) => model.bytes !== undefined)?.bytes ?? before?.bytes;
  const eviction = evictions.find((one) => one.key === key)?.is;
  const model = named[0]?.name ?? before?.model ?? key;
  const own = uses.filter((use) => use.key === key);
  const name = named.length > 0 ? model : `${model} (${key})`;
  const source = named[0]?.source ?? before?.source;
  const isLeft = named.length === 0 && own.length === 0;
  const entry = { key, model, name, source, bytes, eviction, isNeeded: own.length > 0, isLeft, isRemovable: false };
  if (before?.state === "evicting") {
    if (eviction === "done") return { ...entry, evicted: before };
    // Where nothing waits for the space, who uses the weights again keeps them, and the Job is deleted.
    const isKept = own.length > 0 && (eviction === undefined || before.needed === undefined);
    if (!isKept) return { ...entry, record: before, isRemovable: true };
  }
  return { ...entry, record: keptRecord(entry, { before, own, now, keepSeconds }) };
}

interface Kept {
  readonly before: CacheRecord | undefined;
  readonly own: readonly CacheUse[];
  readonly now: Instant;
  readonly keepSeconds: number | undefined;
}

/** What stays recorded: what is cached, and what was granted while a service needs it. */
function keptRecord(entry: Omit<CacheEntry, "record">, kept: Kept): CacheRecord | undefined {
  const { before, own } = kept;
  const held = heldRecord(entry, kept);
  if (held !== undefined) return held;
  const isGranted = own.some(isInPod) || (before?.state === "granted" && own.length > 0);
  return isGranted ? recordOf(entry, "granted") : undefined;
}

/**
 * What pods read, what was cached, and, where weights of deleted Models are deleted, downloads that were not finished: all with the time
 * of their last use.
 */
function heldRecord(entry: Omit<CacheEntry, "record">, kept: Kept): CacheRecord | undefined {
  const { before, own, now, keepSeconds } = kept;
  const isCached = own.some(({ is }) => is === "reads") || before?.state === "cached" || before?.state === "evicting";
  const isPassing = keepSeconds !== undefined && entry.isLeft && before !== undefined;
  if (!isCached && !isPassing) return undefined;
  const lastUsed = own.some(isInPod) ? undefined : (before?.lastUsed ?? formatTime(now));
  const isOver = isPassing && secondsLeft(lastUsed, { now, keepSeconds }) <= 0;
  const state = isOver ? "evicting" : isCached ? "cached" : "granted";
  return { ...recordOf(entry, state), ...(lastUsed === undefined ? {} : { lastUsed }) };
}

const isInPod = ({ is }: CacheUse): boolean => is === "reads" || is === "fetches";

interface Term {
  readonly now: Instant;
  readonly keepSeconds: number;
}

const secondsLeft = (lastUsed: string | undefined, { now, keepSeconds }: Term): number =>
  keepSeconds - (now - (parseTime(lastUsed ?? "") ?? now)) / 1000;

/** When the next weights of a deleted Model are to go. */
export function nextTerm(
  entries: readonly CacheEntry[],
  { keepSeconds }: ObservedBudget,
  now: Instant,
): Millis | undefined {
  if (keepSeconds === undefined) return undefined;
  const left = entries
    .filter(({ isLeft, record }) => isLeft && record !== undefined && record.state !== "evicting")
    .map(({ record }) => secondsLeft(record?.lastUsed, { now, keepSeconds }));
  return left.length === 0 ? undefined : Math.ceil(Math.max(1, Math.min(...left))) * 1000;
}

const recordOf = (
  { key, model, source, bytes }: Pick<CacheEntry, "key" | "model" | "source" | "bytes">,
  state: CacheRecord["state"],
): CacheRecord => ({
  key,
  model,
  ...(source === undefined ? {} : { source }),
  state,
  ...(bytes === undefined ? {} : { bytes }),
});

function weightOf(
  { key, name, bytes, record }: CacheEntry,
  { observed, now }: { observed: ObservedBudget; now: Instant },
): CacheWeight | undefined {
  const own = observed.uses.filter((use) => use.key === key).sort((a, b) => (a.since < b.since ? -1 : 1));
  const [first] = own;
  if (record === undefined && first === undefined) return undefined;
  const user = own.toSorted((a, b) => (a.by < b.by ? -1 : 1)).find(({ is }) => is === "needs") ?? first;
  const { bytes: budget } = observed;
  return {
    name,
    is: record === undefined ? "wants" : record.state === "evicting" ? "leaves" : "holds",
    ...(bytes === undefined ? {} : { bytes }),
    ...(budget === undefined ? {} : { budget }),
    lastUsed: record?.lastUsed ?? formatTime(now),
    createdAt: first?.since ?? "",
    ...(user === undefined
      ? bytes === undefined
        ? { pinnedBy: "size unknown" }
        : {}
      : { pinnedBy: `used by ${user.by}` }),
  };
}
