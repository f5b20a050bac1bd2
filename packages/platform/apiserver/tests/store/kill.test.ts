import assert from "node:assert/strict";
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { describe, type TestContext, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { openStore, type Store } from "../../src/store/index.ts";
import type { Stored } from "../../src/store/store.ts";
import { temporaryDirectory } from "./fixture.ts";
import { faultOfBody, randomFrom } from "./kill-load.ts";

/** Most of a round is the start of a process: a test run does enough to find a fault, a long run sets more. */
const rounds = Number(process.env.TRIVIUM_TEST_KILLS ?? 60);
/** Two at a time, each in a directory of its own: starting a process is most of a round. */
const lanes = 2;
const writer = join(import.meta.dirname, "kill-writer.ts");

/** What the outside knows of one data directory. */
interface Known {
  /** The revision of every object that must be there. */
  objects: Map<string, number>;
  revision: number;
  acks: number;
  killedEarly: number;
}

/** What one writer said before it was killed. */
interface Reported {
  readonly tries: { revision: number; op: string; path: string }[];
  opened: number | undefined;
  acked: number;
  acks: number;
}

describe("kill -9", { concurrency: lanes }, () => {
  for (let lane = 0; lane < lanes; lane++)
    test(`${rounds / lanes} kills under write load lose nothing that was acknowledged (lane ${lane})`, async (t) => {
      const directory = temporaryDirectory(t);
      const env = warmUp(t);
      const known: Known = { objects: new Map(), revision: 1, acks: 0, killedEarly: 0 };
      for (let round = 0; round < rounds / lanes; round++) {
        const seed = lane * 10_000 + round;
        try {
          await verify(directory, await killOnce(directory, seed, env), known);
        } catch (error) {
          throw new Error(`round ${round}, seed ${seed}`, { cause: error });
        }
      }
      t.diagnostic(`${known.acks} acknowledged writes, ${known.killedEarly} kills before the store was open`);
      assert.ok(known.acks > rounds, "the load wrote too little to prove anything");
    });
});

/** Compiles the store once for all writers: a writer never lives to write its own compile cache. */
function warmUp(t: TestContext): NodeJS.ProcessEnv {
  const env = { ...process.env, NODE_COMPILE_CACHE: temporaryDirectory(t) };
  const door = new URL("../../src/store/index.ts", import.meta.url).href;
  execFileSync(process.execPath, ["--import", door, "--eval", ""], { env });
  return env;
}

/** Starts a writer, kills it at a random moment (while it starts, or while it writes), and learns what it acknowledged. */
async function killOnce(directory: string, seed: number, env: NodeJS.ProcessEnv): Promise<Reported> {
  const random = randomFrom(seed);
  const child = spawn(process.execPath, [writer, directory, String(seed)], {
    stdio: ["ignore", "pipe", "inherit"],
    env,
  });
  const lines = linesOf(child);
  const gone = once(child, "close");
  const isEarly = random() < 0.1;
  if (!isEarly) await Promise.race([once(child.stdout!, "data"), gone]);
  await sleep(isEarly ? random() * 100 : random() * random() * 120);
  assert.equal(child.exitCode, null, "the writer ended by itself");
  child.kill("SIGKILL");
  await gone;
  return understand(lines());
}

/** Collects whole lines; what the kill cut off in the middle was not acknowledged. */
function linesOf(child: ChildProcess): () => string[] {
  let text = "";
  child.stdout!.setEncoding("utf8").on("data", (piece: string) => {
    text += piece;
  });
  return () => text.split("\n").slice(0, -1);
}

function understand(lines: readonly string[]): Reported {
  const reported: Reported = { tries: [], opened: undefined, acked: 0, acks: 0 };
  for (const line of lines) {
    const [word, at, op = "", path = ""] = line.split(" ");
    const revision = Number(at);
    if (word === "open") reported.opened = revision;
    if (word === "try") reported.tries.push({ revision, op, path });
    if (word !== "ack") continue;
    reported.acked = Math.max(reported.acked, revision);
    reported.acks++;
  }
  return reported;
}

/**
 * Opens what the kill left behind. Writes are committed in the order of their revisions, so it must be exactly what all
 * tries up to the revision found make of the state before; and that revision covers everything acknowledged.
 */
async function verify(directory: string, reported: Reported, known: Known): Promise<void> {
  if (reported.opened === undefined) known.killedEarly++;
  else assert.equal(reported.opened, known.revision, "the writer found another revision than we had left");
  const store = await openStore({ directory });
  try {
    assert.ok(store.revision >= Math.max(reported.acked, known.revision), `revision ${store.revision} went back`);
    known.acks += reported.acks;
    known.revision = store.revision;
    for (const { revision, op, path } of reported.tries) {
      if (revision > store.revision) continue;
      if (op === "put") known.objects.set(path, revision);
      else known.objects.delete(path);
    }
    assert.deepEqual(revisionsIn(store), new Map([...known.objects].sort()));
    for (const stored of store.list("things")) assertWhole(stored);
  } finally {
    await store.close();
  }
}

function pathOf({ key }: Stored): string {
  return `${key.namespace}/${key.name}`;
}

function revisionsIn(store: Store): Map<string, number> {
  return new Map(Array.from(store.list("things"), (stored) => [pathOf(stored), stored.revision]));
}

function assertWhole(stored: Stored): void {
  const path = pathOf(stored);
  assert.equal(faultOfBody(stored.text, path, stored.revision), undefined);
  assert.deepEqual([stored.labels, stored.uid], [{ at: String(stored.revision) }, `uid-${path}`]);
}
