/** A replica and how many requests it is working on. */
export interface Loaded {
  readonly authority: string;
  readonly outstanding: number;
}

/** The least loaded; among equals one at random. `random` gives numbers in [0, 1). */
export function pickLeastLoaded<T extends Loaded>(replicas: readonly T[], random: () => number): T | undefined {
  if (replicas.length < 2) return replicas[0];
  let best: T | undefined;
  let equals = 0;
  for (const replica of replicas) {
    if (best === undefined || replica.outstanding < best.outstanding) {
      best = replica;
      equals = 1;
    } else if (replica.outstanding === best.outstanding) {
      equals += 1;
      if (random() * equals < 1) best = replica;
    }
  }
  return best;
}

/** A replica may have this many times the mean load before those who belong to it are sent on. */
const bound = 1.25;

/**
 * Requests that begin alike go to the same replica, whose cache then knows the beginning. Each replica is ranked by a hash of itself
 * and the beginning, so that one more or less replica moves only its own share; one with too much to do is passed over.
 */
export function pickByPrefix<T extends Loaded>(replicas: readonly T[], prefix: string): T | undefined {
  let total = 1;
  for (const { outstanding } of replicas) total += outstanding;
  const most = Math.ceil((total / replicas.length) * bound);
  let best: T | undefined;
  let highest = -1;
  for (const replica of replicas) {
    if (replica.outstanding >= most) continue;
    const rank = hashOf(`${replica.authority}\n${prefix}`);
    if (rank > highest) {
      best = replica;
      highest = rank;
    }
  }
  return best;
}

/** FNV-1a with a final stir: short inputs that differ in one place must not rank alike. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x7feb352d);
  hash = Math.imul(hash ^ (hash >>> 15), 0x846ca68b);
  return (hash ^ (hash >>> 16)) >>> 0;
}
