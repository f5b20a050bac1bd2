import type { KubeObject } from "@trivium/kube";
import { isAtLeast } from "./version.ts";

interface VersionWait {
  readonly version: string;
  readonly resolve: () => void;
}

/** How far one cache has come, and who waits for it to come further. */
export class Sightings {
  #version: string | undefined;
  /** In the order of versions. Waits are mostly for versions newer than all before, so inserting is appending. */
  readonly #forVersion: VersionWait[] = [];
  readonly #forObject = new Map<string, Set<(object: KubeObject | undefined) => void>>();

  get version(): string | undefined {
    return this.#version;
  }

  /** Resolves when everything up to a version was seen. */
  whenReached(version: string | undefined): Promise<void> {
    if (version === undefined || isAtLeast(this.#version, version)) return Promise.resolve();
    return new Promise((resolve) => {
      let at = this.#forVersion.length;
      while (at > 0 && !isAtLeast(version, this.#forVersion[at - 1]?.version)) at -= 1;
      this.#forVersion.splice(at, 0, { version, resolve });
    });
  }

  /** Resolves when the object with this key fulfils a condition; `undefined` means that it is gone. */
  whenObject(key: string, isFulfilled: (object: KubeObject | undefined) => boolean): Promise<void> {
    return new Promise((resolve) => {
      const waiting = this.#forObject.get(key) ?? new Set();
      this.#forObject.set(key, waiting);
      const reader = (object: KubeObject | undefined) => {
        if (!isFulfilled(object)) return;
        waiting.delete(reader);
        if (waiting.size === 0) this.#forObject.delete(key);
        resolve();
      };
      waiting.add(reader);
    });
  }

  reach(version: string | undefined): void {
    if (version !== undefined && !isAtLeast(this.#version, version)) this.#version = version;
    this.#release();
  }

  /** A whole list begins the count anew: after a restored backup versions may be lower than before. */
  restart(version: string | undefined): void {
    this.#version = version;
    this.#release();
  }

  changed(key: string, object: KubeObject | undefined): void {
    for (const reader of [...(this.#forObject.get(key) ?? [])]) reader(object);
  }

  #release(): void {
    let done = 0;
    while (done < this.#forVersion.length && isAtLeast(this.#version, this.#forVersion[done]?.version)) done += 1;
    for (const { resolve } of this.#forVersion.splice(0, done)) resolve();
  }
}
