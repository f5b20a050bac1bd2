import { isDeepStrictEqual } from "node:util";
import type { StoreEvent } from "../../src/store/store.ts";

/** One change as the model remembers it. */
export interface Happening {
  readonly type: StoreEvent["type"];
  readonly path: string;
  readonly revision: number;
  readonly text: string;
  readonly previous: { readonly revision: number; readonly text: string } | undefined;
}

interface Held {
  readonly revision: number;
  readonly text: string;
  readonly owners: readonly string[];
}

/** The store as plainly as it can be said: a map, a list of all that happened, and a copy of both for what may be taken back. */
export class Model {
  objects = new Map<string, Held>();
  committed: Happening[] = [];
  revision = 1;
  oldest = 0;
  assigned = 1;
  #settledObjects = new Map<string, Held>();
  #pending: Happening[] = [];

  get isSettled(): boolean {
    return this.#pending.length === 0;
  }

  put(path: string, text: string, owners: readonly string[]): void {
    this.#happen(path, text, "put");
    this.objects.set(path, { revision: this.assigned, text, owners });
  }

  remove(path: string, text: string): void {
    this.#happen(path, text, "delete");
    this.objects.delete(path);
  }

  commit(): void {
    if (this.isSettled) return;
    this.committed.push(...this.#pending);
    this.#pending = [];
    this.#settledObjects = new Map(this.objects);
    this.revision = this.assigned;
  }

  takeBack(): void {
    this.#pending = [];
    this.objects = new Map(this.#settledObjects);
  }

  /** A new process knows only what was committed. */
  restart(): void {
    this.assigned = this.revision;
  }

  compact(revision: number): void {
    this.oldest = Math.max(this.oldest, Math.min(revision, this.revision));
  }

  ownedBy(owner: string): string[] {
    return [...this.objects].filter(([, held]) => held.owners.includes(owner)).map(([path]) => path);
  }

  after(revision: number, namespace: string | undefined): Happening[] {
    const isWanted = (one: Happening) => namespace === undefined || one.path.startsWith(`${namespace}/`);
    return this.committed.filter((one) => one.revision > revision && isWanted(one));
  }

  #happen(path: string, text: string, op: "put" | "delete"): void {
    const before = this.objects.get(path);
    const previous = before && { revision: before.revision, text: before.text };
    const type = op === "delete" ? "DELETED" : before === undefined ? "ADDED" : "MODIFIED";
    this.#pending.push({ type, path, revision: ++this.assigned, text, previous });
  }
}

export function happeningOf({ type, revision, object, previous }: StoreEvent): Happening {
  const path = `${object.key.namespace}/${object.key.name}`;
  return {
    type,
    path,
    revision,
    text: object.text,
    previous: previous && { revision: previous.revision, text: previous.text },
  };
}

export function isPrefix(start: readonly Happening[], whole: readonly Happening[]): boolean {
  return isDeepStrictEqual(start, whole.slice(0, start.length));
}
