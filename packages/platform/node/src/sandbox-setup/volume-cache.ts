import type { Kind, KubeClient, KubeObject } from "@trivium/kube";
import type { Clock } from "@trivium/runtime";
import { follow } from "../follow.ts";

export interface VolumeCacheOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly onError: (what: string, error: unknown) => void;
}

/** Reads of one holder. Every read is a watch, until the holder lets go of all of them. */
export interface VolumeCacheReader {
  read<O extends KubeObject>(kind: Kind<O>, ref: { namespace: string; name: string }): Promise<O | undefined>;
  /** Resolves when something that was read has changed, come or gone since; and when the reader is let go. */
  untilChange(): Promise<void>;
  release(): void;
}

interface Entry {
  object: KubeObject | undefined;
  readonly known: Promise<void>;
  readonly holders: Set<Holder>;
  readonly end: AbortController;
}

interface Holder {
  onChange(): void;
}

/** The Secrets and ConfigMaps that pods of this node name, each watched once, and only as long as somebody holds it. */
export class VolumeCache {
  readonly #options: VolumeCacheOptions;
  readonly #entries = new Map<string, Entry>();
  readonly #tasks = new Set<Promise<void>>();

  constructor(options: VolumeCacheOptions) {
    this.#options = options;
  }

  /** `onChange` is told each time that something changes which this reader has read. */
  reader(onChange: () => void): VolumeCacheReader {
    const held = new Set<string>();
    let changed = Promise.withResolvers<void>();
    const holder: Holder = {
      onChange: () => {
        changed.resolve();
        changed = Promise.withResolvers();
        onChange();
      },
    };
    let isReleased = false;
    return {
      read: async <O extends KubeObject>(kind: Kind<O>, ref: { namespace: string; name: string }) => {
        if (isReleased) return undefined;
        const key = `${kind.kind} ${ref.namespace}/${ref.name}`;
        const entry = this.#entries.get(key) ?? this.#begin(key, kind, ref);
        held.add(key);
        entry.holders.add(holder);
        await entry.known;
        return entry.object as O | undefined;
      },
      untilChange: () => (isReleased ? Promise.resolve() : changed.promise),
      release: () => {
        isReleased = true;
        changed.resolve();
        for (const key of held) this.#drop(key, holder);
        held.clear();
      },
    };
  }

  async stop(): Promise<void> {
    for (const { end } of this.#entries.values()) end.abort();
    this.#entries.clear();
    await Promise.all(this.#tasks);
  }

  #begin(key: string, kind: Kind, { namespace, name }: { namespace: string; name: string }): Entry {
    const { client, clock, onError } = this.#options;
    const end = new AbortController();
    const known = Promise.withResolvers<void>();
    const entry: Entry = { object: undefined, known: known.promise, holders: new Set(), end };
    let isKnown = false;
    const take = (object: KubeObject | undefined) => {
      const hasChanged = isKnown && object?.metadata.resourceVersion !== entry.object?.metadata.resourceVersion;
      entry.object = object;
      isKnown = true;
      if (hasChanged) for (const holder of [...entry.holders]) holder.onChange();
    };
    this.#entries.set(key, entry);
    const task = follow(
      {
        client,
        clock,
        kind,
        fieldSelector: `metadata.namespace=${namespace},metadata.name=${name}`,
        onList: ([object]) => {
          take(object);
          known.resolve();
        },
        onChange: take,
        onGone: () => take(undefined),
        onError: (error) => onError(`watch of ${key} failed`, error),
      },
      end.signal,
    ).finally(() => {
      known.resolve();
      this.#tasks.delete(task);
    });
    this.#tasks.add(task);
    return entry;
  }

  #drop(key: string, holder: Holder): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    entry.holders.delete(holder);
    if (entry.holders.size > 0) return;
    entry.end.abort();
    this.#entries.delete(key);
  }
}
