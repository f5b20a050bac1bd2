/**
 * Since when the thread of the model has been choosing a token. Native code follows every way through a grammar, and some grammars have
 * more ways than it can ever follow: it cannot be interrupted then, and serves nobody. The memory is shared, so that neither
 * thread waits for the other.
 */
export class SamplingWatch {
  readonly memory: SharedArrayBuffer;
  readonly #counts: Int32Array;

  constructor(memory = new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT)) {
    this.memory = memory;
    this.#counts = new Int32Array(memory);
  }

  /** Begins or ends a piece of work: odd while it lasts, and another number each time. */
  turn(of: keyof typeof places): void {
    Atomics.add(this.#counts, places[of], 1);
  }

  /** What is under way; nothing when there is none. Equal only while it is the same piece of work. */
  get underWay(): string | undefined {
    const busy = [...this.#counts]
      .map((_, at) => Atomics.load(this.#counts, at))
      .map((count) => (isOdd(count) ? count : 0));
    return busy.some((count) => count !== 0) ? busy.join() : undefined;
  }
}

/** A grammar is read while tokens of others are chosen. */
const places = { tokens: 0, grammar: 1 } as const;

const isOdd = (count: number): boolean => (count & 1) === 1;

/**
 * Counts how often the same work is found under way, which a process that stood still itself does not do. Returns what to
 * call at regular times; it returns true when the work has lasted for so many of them.
 */
export function stallCounter(watch: Pick<SamplingWatch, "underWay">, limit: number): () => boolean {
  let [last, count]: [string | undefined, number] = [undefined, 0];
  return () => {
    const now = watch.underWay;
    count = now !== undefined && now === last ? count + 1 : 0;
    last = now;
    return count >= limit;
  };
}
