import type { Entry } from "./entry.ts";
import { ownCopy } from "./lean-text.ts";
import type { ListOptions } from "./objects.ts";
import { insertName, lowerBound, removeName, upperBound } from "./sorted-names.ts";

/**
 * The objects of one resource, in the order in which etcd would list them: by the path `namespace/name`, so `team-a`
 * comes before `team`. Names are sorted when first listed and kept sorted from then on, so a bulk load sorts once.
 */
export class Collection {
  readonly resource: string;
  size = 0;
  readonly #drawers = new Map<string, Drawer>();
  /** `namespace/` of every drawer, sorted. */
  readonly #paths: string[] = [];

  constructor(resource: string) {
    this.resource = resource;
  }

  get(namespace: string, name: string): Entry | undefined {
    return this.#drawers.get(namespace)?.entries.get(name);
  }

  namespaceOf(namespace: string): string {
    return this.#drawers.get(namespace)?.namespace ?? ownCopy(namespace);
  }

  /** Returns what was there before. */
  put(entry: Entry): Entry | undefined {
    const drawer = this.#drawer(entry.key.namespace);
    const { name } = entry.key;
    const before = drawer.entries.get(name);
    drawer.entries.set(name, entry);
    if (before !== undefined) return before;
    this.size++;
    if (drawer.names !== undefined) insertName(drawer.names, name);
    return undefined;
  }

  remove(namespace: string, name: string): Entry | undefined {
    const drawer = this.#drawers.get(namespace);
    const before = drawer?.entries.get(name);
    if (drawer === undefined || before === undefined) return undefined;
    this.size--;
    drawer.entries.delete(name);
    if (drawer.names !== undefined) removeName(drawer.names, name);
    if (drawer.entries.size === 0) {
      this.#drawers.delete(namespace);
      removeName(this.#paths, `${namespace}/`);
    }
    return before;
  }

  *list({ namespace, after }: ListOptions): Generator<Entry> {
    if (namespace !== undefined) {
      const drawer = this.#drawers.get(namespace);
      if (drawer !== undefined) yield* entriesOf(drawer, startIn(drawer, after));
      return;
    }
    const paths = this.#paths;
    let at = after === undefined ? 0 : lowerBound(paths, `${after.namespace}/`);
    while (at < paths.length) {
      const path = paths[at]!;
      const drawer = this.#drawers.get(path.slice(0, -1))!;
      yield* entriesOf(drawer, startIn(drawer, after));
      at = upperBound(paths, path);
    }
  }

  #drawer(namespace: string): Drawer {
    let drawer = this.#drawers.get(namespace);
    if (drawer === undefined) {
      drawer = { namespace, entries: new Map(), names: undefined };
      this.#drawers.set(namespace, drawer);
      insertName(this.#paths, `${namespace}/`);
    }
    return drawer;
  }
}

/** The objects of one namespace. */
interface Drawer {
  readonly namespace: string;
  readonly entries: Map<string, Entry>;
  /** Sorted; undefined until first listed. */
  names: string[] | undefined;
}

function namesOf(drawer: Drawer): string[] {
  drawer.names ??= Array.from(drawer.entries.keys()).sort();
  return drawer.names;
}

function startIn(drawer: Drawer, after: ListOptions["after"]): number {
  if (after === undefined) return 0;
  if (after.namespace === drawer.namespace) return upperBound(namesOf(drawer), after.name);
  return `${after.namespace}/` < `${drawer.namespace}/` ? 0 : drawer.entries.size;
}

/** Goes on behind the last name also when objects came or went while the reader held the iterator. */
function* entriesOf(drawer: Drawer, start: number): Generator<Entry> {
  const names = namesOf(drawer);
  let at = start;
  while (at < names.length) {
    const name = names[at]!;
    yield drawer.entries.get(name)!;
    at = names[at] === name ? at + 1 : upperBound(names, name);
  }
}
