import type { HorizontalPodAutoscaler } from "@trivium/kube";
import type { Instant } from "@trivium/std";

export const memoryKey = "trivium.dev/autoscaler-memory";

/**
 * What an autoscaler must remember to act slowly: since when it recommends what, and when it changed the scale by how much. It stands in an
 * annotation, so that a restart forgets nothing and a decision depends on nothing hidden. Only changes are written down.
 */
export interface AutoscalerMemory {
  readonly recommended: readonly (readonly [since: Instant, replicas: number])[];
  readonly changed: readonly (readonly [at: Instant, by: number])[];
}

const empty: AutoscalerMemory = { recommended: [], changed: [] };
const longest = 3_600_000;

export function readMemory({ metadata }: HorizontalPodAutoscaler): AutoscalerMemory {
  const text = metadata.annotations?.[memoryKey];
  if (text === undefined) return empty;
  try {
    const { recommended, changed } = JSON.parse(text) as Partial<AutoscalerMemory>;
    return { recommended: pairs(recommended), changed: pairs(changed) };
  } catch {
    // Somebody edited it: what is forgotten is at most an hour old.
    return empty;
  }
}

function pairs(value: unknown): (readonly [number, number])[] {
  if (!Array.isArray(value)) return [];
  return value.filter(
    (pair): pair is [number, number] => Array.isArray(pair) && pair.length === 2 && pair.every(Number.isFinite),
  );
}

export function remember(memory: AutoscalerMemory, now: Instant, recommended: number, by: number): AutoscalerMemory {
  const { recommended: before } = memory;
  const list = before.at(-1)?.[1] === recommended ? before : [...before, [now, recommended] as const];
  // Of what is older than any window only the last still speaks for the beginning of it.
  const firstKept = Math.max(
    0,
    list.findLastIndex(([since]) => since <= now - longest),
  );
  const changed = memory.changed.filter(([at]) => at > now - longest);
  return { recommended: list.slice(firstKept), changed: by === 0 ? changed : [...changed, [now, by]] };
}

/** Everything that was recommended at some time within the window, with until when it was. */
export function within(
  { recommended }: AutoscalerMemory,
  now: Instant,
  window: number,
): { until: Instant; replicas: number }[] {
  return recommended
    .map(([, replicas], i) => ({ replicas, until: recommended[i + 1]?.[0] ?? now }))
    .filter(({ until }) => until > now - window);
}
