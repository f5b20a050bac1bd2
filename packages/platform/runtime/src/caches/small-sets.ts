/**
 * Sets by name, most of which have one element: that is kept without a Set around it, which would take several times its space.
 */
export class SmallSets<T extends string | object = string> {
  readonly #sets = new Map<string, T | Set<T>>();

  has(name: string): boolean {
    return this.#sets.has(name);
  }

  of(name: string): Iterable<T> {
    return elementsOf(this.#sets.get(name));
  }

  add(name: string, element: T): void {
    this.#sets.set(name, withElement(this.#sets.get(name), element));
  }

  /** A set without elements is no longer there. */
  remove(name: string, element: T): void {
    const left = withoutElement(this.#sets.get(name), element);
    if (left === undefined) this.#sets.delete(name);
    else this.#sets.set(name, left);
  }
}

/** None, one or several. */
export type Few<T extends string | object> = T | Set<T> | undefined;

export function elementsOf<T extends string | object>(few: Few<T>): Iterable<T> {
  if (few === undefined) return [];
  return few instanceof Set ? few : [few];
}

export function withElement<T extends string | object>(few: Few<T>, element: T): T | Set<T> {
  if (few === undefined || few === element) return element;
  return few instanceof Set ? few.add(element) : new Set([few, element]);
}

export function withoutElement<T extends string | object>(few: Few<T>, element: T): Few<T> {
  if (!(few instanceof Set)) return few === element ? undefined : few;
  few.delete(element);
  const [last] = few;
  return few.size > 1 ? few : last;
}
