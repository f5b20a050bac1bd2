import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import type { WantedArtifact } from "@trivium/domain";
import { deepEqual, isObject } from "@trivium/std";
import { codeOf } from "../fault.ts";
import { writeWhole } from "../store/write-whole.ts";
import { makeFolder } from "../transfer/parts/disk.ts";

/**
 * What a keeper has put on this disk and where, written down before the first byte comes. So the next keeper clears away what nobody wants
 * any more, although whoever wanted it is long gone. Nothing secret is in it.
 */
export class ArtifactRecords {
  readonly #path: string;
  readonly #entries: Map<string, WantedArtifact>;
  #writing: Promise<void> = Promise.resolve();

  constructor(path: string, onError: (what: string, error: unknown) => void) {
    this.#path = path;
    this.#entries = readEntries(path, onError);
  }

  get(key: string): WantedArtifact | undefined {
    return this.#entries.get(key);
  }

  all(): readonly WantedArtifact[] {
    return [...this.#entries.values()];
  }

  async note(wanted: WantedArtifact): Promise<void> {
    if (deepEqual(this.#entries.get(wanted.key), wanted)) return;
    this.#entries.set(wanted.key, wanted);
    await this.#write();
  }

  async strike(key: string): Promise<void> {
    if (this.#entries.delete(key)) await this.#write();
  }

  /** One after the other, each with all that is known when its turn comes. */
  #write(): Promise<void> {
    const write = async (): Promise<void> => {
      await makeFolder(dirname(this.#path));
      await writeWhole(this.#path, `${JSON.stringify(Object.fromEntries(this.#entries), undefined, 1)}\n`);
    };
    const turn = this.#writing.then(write);
    this.#writing = turn.catch(() => undefined);
    return turn;
  }
}

/** One that cannot be read is as good as none: then files that nobody wants stay, and nothing is removed that somebody may want. */
function readEntries(path: string, onError: (what: string, error: unknown) => void): Map<string, WantedArtifact> {
  try {
    const value: unknown = JSON.parse(readFileSync(path, "utf8"));
    return new Map(Object.entries(value ?? {}).filter(isEntry));
  } catch (error) {
    if (codeOf(error) !== "ENOENT") onError(`cannot read ${path}`, error);
    return new Map();
  }
}

function isEntry(entry: [string, unknown]): entry is [string, WantedArtifact] {
  const [key, value] = entry;
  return isObject(value) && value.key === key && typeof value.path === "string" && isObject(value.source);
}
