/**
 * Sets of strings by name, most of which have one element: that is kept without a Set around it, which would take several times its space.
 */
export class SmallSets {
  readonly #sets = new Map<string, string | Set<string>>();

  has(name: string): boolean {
    return this.#sets.has(name);
  }

  of(name: string): Iterable<string> {
    const found = this.#sets.get(name);
    if (found === undefined) return none;
    return typeof found === "string" ? [found] : found;
  }

  add(name: string, element: string): void {
    const found = this.#sets.get(name);
    if (found === undefined) this.#sets.set(name, element);
    else if (typeof found !== "string") found.add(element);
    else if (found !== element) this.#sets.set(name, new Set([found, element]));
  }

  /** A set without elements is no longer there. */
  remove(name: string, element: string): void {
    const found = this.#sets.get(name);
    if (found === element) this.#sets.delete(name);
    if (found === undefined || typeof found === "string") return;
    found.delete(element);
    const [last] = found;
    if (found.size === 1 && last !== undefined) this.#sets.set(name, last);
  }
}

const none: readonly string[] = [];
