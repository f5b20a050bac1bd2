/** A body that shows when it is torn or belongs to another write: everything in it follows from path, revision and size. */
export function bodyOf(path: string, revision: number, size: number): string {
  return JSON.stringify({ path, revision, size, filling: `${path}@${revision};`.repeat(Math.ceil(size / 20)) });
}

export function faultOfBody(text: string, path: string, revision: number): string | undefined {
  const { size } = JSON.parse(text) as { size: number };
  return text === bodyOf(path, revision, size) ? undefined : `${path} at ${revision} does not hold what was written`;
}

/** A small deterministic generator of numbers in [0, 1), so that a failing round can be run again. */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
