/**
 * The victim of the kill test: `kill-writer.ts <directory> <seed>` opens the store and writes until it is killed. It says
 * `open <revision>` when the store is open, `try <revision> <op> <path>` before a write and `ack <revision>` when that is durable.
 */
import { writeSync } from "node:fs";
import { openStore, type Store } from "../../src/store/index.ts";
import { bodyOf, randomFrom } from "./kill-load.ts";

const [directory = "", seed = "0"] = process.argv.slice(2);
const random = randomFrom(Number(seed));
/** Big objects fill the write-ahead log, so that some kills hit a checkpoint; little history is kept, so that some hit a sweep. */
const biggest = Number(seed) % 4 === 0 ? 400_000 : 20_000;
const store = await openStore({ directory, history: { keepMillis: 20, maxEvents: 20 } });
say(`open ${store.revision}`);
for (let writer = 0; writer < 8; writer++) run(store, writer);

/** Each writer has objects of its own, so that it knows their revisions without asking. */
async function run(target: Store, writer: number): Promise<void> {
  for (;;) {
    const burst = Array.from({ length: 1 + Math.floor(random() * 4) }, () => {
      const path = `writer-${writer}/${Math.floor(random() * 12)}`;
      return writeOne(target, path, random() < 0.25 ? "delete" : "put");
    });
    await Promise.all(burst);
  }
}

async function writeOne(target: Store, path: string, wanted: "put" | "delete"): Promise<void> {
  const [namespace = "", name = ""] = path.split("/");
  const key = { resource: "things", namespace, name };
  const before = target.get(key);
  const op = before === undefined ? "put" : wanted;
  const size = Math.floor(random() * random() * biggest);
  const { revision } = await target.write({
    key,
    op,
    expect: before?.revision ?? 0,
    write(at) {
      say(`try ${at} ${op} ${path}`);
      return { text: bodyOf(path, at, size), uid: `uid-${path}`, labels: { at: String(at) }, owners: [namespace] };
    },
  });
  say(`ack ${revision}`);
}

function say(line: string): void {
  writeSync(1, `${line}\n`);
}
