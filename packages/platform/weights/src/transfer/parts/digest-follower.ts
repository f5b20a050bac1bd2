import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { Worker } from "node:worker_threads";
import { readFlags } from "../../sources/open-file.ts";
import type { Digest } from "../remote-file.ts";

/** What a whole file hashes to: always its SHA-256, and by another algorithm where the source promised that one. */
export interface FoundDigests {
  readonly sha256: string;
  readonly other: string | undefined;
}

interface FollowerTask {
  readonly path: string;
  /** Needed for the Git id, which hashes the length first. */
  readonly total: number | undefined;
  readonly algorithm: Digest["algorithm"] | undefined;
}

/**
 * Hashes a file while it grows, in a thread of its own: it reads behind the part that has no gaps, which the page cache
 * still holds. So a parallel download is verified almost as soon as its last byte is written.
 */
export class DigestFollower {
  readonly #task: FollowerTask;
  #thread: { worker: Worker; answer: Promise<FoundDigests> } | undefined;
  #reported = 0;

  constructor(task: FollowerTask) {
    this.#task = task;
  }

  /** The first `frontier` bytes are there. Told in steps of some mebibytes; a small file never gets a thread before its end. */
  advance(frontier: number): void {
    if (frontier - this.#reported < 4 * 1024 * 1024) return;
    this.#reported = frontier;
    this.#ensureThread().worker.postMessage({ upTo: frontier, isLast: false });
  }

  async finish(total: number): Promise<FoundDigests> {
    if (this.#thread === undefined && total <= 4 * 1024 * 1024)
      return digestsOf(await readFile(this.#task.path, { flag: readFlags }), this.#task);
    const { worker, answer } = this.#ensureThread();
    worker.ref();
    worker.postMessage({ upTo: total, isLast: true });
    return answer;
  }

  async stop(): Promise<void> {
    await this.#thread?.worker.terminate();
  }

  #ensureThread(): { worker: Worker; answer: Promise<FoundDigests> } {
    if (this.#thread !== undefined) return this.#thread;
    // The thread's code travels as text, so that it works the same from source and from a bundle.
    const worker = new Worker(`(${followInThread.toString()})()`, {
      eval: true,
      workerData: this.#task,
      // It needs next to nothing, and would take what it is given.
      resourceLimits: { maxYoungGenerationSizeMb: 2, maxOldGenerationSizeMb: 32 },
    });
    const answer = new Promise<FoundDigests>((resolve, reject) => {
      worker.once("message", resolve);
      worker.once("error", reject);
      worker.once("exit", () => reject(new Error("the digest thread stopped unexpectedly")));
    });
    answer.catch(() => {});
    worker.unref();
    this.#thread = { worker, answer };
    return this.#thread;
  }
}

function digestsOf(bytes: Uint8Array, { algorithm, total }: FollowerTask): FoundDigests {
  const other =
    algorithm === "git-sha1"
      ? createHash("sha1").update(`blob ${total ?? bytes.length}\0`)
      : algorithm === "md5"
        ? createHash("md5")
        : undefined;
  return { sha256: createHash("sha256").update(bytes).digest("hex"), other: other?.update(bytes).digest("hex") };
}

/** Self-contained: it may use nothing from this module. */
function followInThread(): void {
  const { createHash } = process.getBuiltinModule("node:crypto");
  const { constants, openSync, readSync } = process.getBuiltinModule("node:fs");
  const { parentPort, workerData } = process.getBuiltinModule("node:worker_threads");
  const { path, total, algorithm } = workerData as { path: string; total?: number; algorithm?: string };
  // A pipe that has taken the place of the file must not be waited for.
  const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  const sha256 = createHash("sha256");
  const isGit = algorithm === "git-sha1" && total !== undefined;
  const other = isGit
    ? createHash("sha1").update(`blob ${total}\0`)
    : algorithm === "md5"
      ? createHash("md5")
      : undefined;
  const block = Buffer.allocUnsafe(1024 * 1024);
  let at = 0;
  parentPort?.on("message", ({ upTo, isLast }: { upTo: number; isLast: boolean }) => {
    while (at < upTo) {
      const read = readSync(file, block, 0, Math.min(block.length, upTo - at), at);
      if (read === 0) throw new Error(`the file ends at byte ${at} of ${upTo}`);
      const bytes = block.subarray(0, read);
      sha256.update(bytes);
      other?.update(bytes);
      at += read;
    }
    if (isLast) parentPort?.postMessage({ sha256: sha256.digest("hex"), other: other?.digest("hex") });
  });
}
