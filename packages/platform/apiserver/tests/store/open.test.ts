import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type TestContext, test } from "node:test";
import { isHeldToFileRights } from "@trivium/testkit";
import { openStore, StoreRefused } from "../../src/store/index.ts";
import type { RefusalReason } from "../../src/store/store.ts";
import { names, put, temporaryDirectory } from "./fixture.ts";

const writer = join(import.meta.dirname, "kill-writer.ts");

/** A directory with 200 objects in it, closed cleanly. */
async function filledDirectory(t: TestContext): Promise<string> {
  const directory = temporaryDirectory(t);
  const store = await openStore({ directory });
  await Promise.all(Array.from({ length: 200 }, (_, i) => put(store, `a/${i}`, { spec: "x".repeat(500) })));
  await store.close();
  return directory;
}

/** Every file except the lock, which is made before anything is looked at. */
function prints(directory: string): Record<string, string> {
  const files = readdirSync(directory).filter((file) => file !== "lock.db");
  const print = (file: string) =>
    createHash("sha256")
      .update(readFileSync(join(directory, file)))
      .digest("hex");
  return Object.fromEntries(files.map((file) => [file, print(file)]));
}

async function assertRefused(directory: string, reason: RefusalReason, message: RegExp): Promise<void> {
  const before = prints(directory);
  await assert.rejects(openStore({ directory }), (error: unknown) => {
    assert.ok(error instanceof StoreRefused, String(error));
    assert.equal(error.reason, reason, error.message);
    assert.match(error.message, message);
    assert.doesNotMatch(error.message, /\n/);
    return true;
  });
  assert.deepEqual(prints(directory), before);
}

/** Changes bytes of a file in place. */
function scribble(path: string, at: number, bytes: string): void {
  const content = readFileSync(path);
  content.write(bytes, at, "latin1");
  writeFileSync(path, content);
}

test("directory and files are for their owner only", async (t) => {
  const directory = join(temporaryDirectory(t), "deep/home");
  const store = await openStore({ directory });
  await put(store, "a/x");
  const mode = (path: string) => (statSync(path).mode & 0o777).toString(8);
  assert.equal(mode(directory), "700");
  assert.deepEqual(
    readdirSync(directory).map((file) => `${file} ${mode(join(directory, file))}`),
    ["holder.json 600", "lock.db 600", "store.db 600", "store.db-wal 600"],
  );
  await store.close();
  assert.deepEqual(readdirSync(directory), ["lock.db", "store.db"]);
});

test("a second opener in the same process is told who holds the directory, and harms nothing", async (t) => {
  const directory = temporaryDirectory(t);
  const store = await openStore({ directory, port: 6443 });
  const expected = new RegExp(`in use by process ${process.pid} on .*port 6443.*stop it, or choose another directory`);
  for (let i = 0; i < 3; i++) {
    await assert.rejects(openStore({ directory }), (error: unknown) => {
      assert.ok(error instanceof StoreRefused);
      assert.equal(error.reason, "held");
      assert.match(error.message, expected);
      return true;
    });
    await put(store, `a/${i}`);
  }
  await store.close();
  const again = await openStore({ directory });
  assert.equal(again.count("pods"), 3);
  await again.close();
});

test("a process that was killed leaves nothing to clean up", async (t) => {
  const directory = temporaryDirectory(t);
  const child = spawn(process.execPath, [writer, directory, "1"], { stdio: ["ignore", "pipe", "inherit"] });
  await once(child.stdout, "data");
  await assert.rejects(openStore({ directory }), new RegExp(`in use by process ${child.pid} on `));
  child.kill("SIGKILL");
  await once(child, "exit");
  assert.ok(existsSync(join(directory, "holder.json")), "the killed process had no chance to tidy up");
  const store = await openStore({ directory });
  await store.close();
});

test("a held directory whose card cannot be read is still refused", async (t) => {
  const directory = temporaryDirectory(t);
  const store = await openStore({ directory });
  writeFileSync(join(directory, "holder.json"), "{");
  await assert.rejects(openStore({ directory }), /is in use by another process/);
  await store.close();
});

test("a file that is no database is refused", async (t) => {
  const directory = temporaryDirectory(t);
  writeFileSync(join(directory, "store.db"), "my diary\n".repeat(100));
  await assertRefused(directory, "foreign", /store\.db is not a store of this program/);
});

test("a database of another program is refused", async (t) => {
  const directory = temporaryDirectory(t);
  const other = new DatabaseSync(join(directory, "store.db"));
  other.exec("CREATE TABLE log (rv INTEGER PRIMARY KEY, value TEXT)");
  other.close();
  await assertRefused(directory, "foreign", /not a store of this program/);
});

test("a store of a newer format is refused and names both formats", async (t) => {
  const directory = await filledDirectory(t);
  const newer = new DatabaseSync(join(directory, "store.db"));
  newer.exec("PRAGMA user_version = 7");
  newer.close();
  await assertRefused(directory, "newer", /has format 7.* supports format 1 only/);
});

test("an empty file is refused", async (t) => {
  const directory = temporaryDirectory(t);
  writeFileSync(join(directory, "store.db"), "");
  await assertRefused(directory, "damaged", /it is empty/);
});

test("a truncated file is refused, wherever it was cut", async (t) => {
  const directory = await filledDirectory(t);
  const path = join(directory, "store.db");
  const { size } = statSync(path);
  copyFileSync(path, join(directory, "whole"));
  for (const cut of [50, 100, 4096, 8192, size / 2, size - 8192, size - 1]) {
    copyFileSync(join(directory, "whole"), path);
    truncateSync(path, Math.floor(cut));
    await assertRefused(directory, "damaged", /is damaged/);
  }
});

test("damaged pages and damaged values are refused", async (t) => {
  const directory = await filledDirectory(t);
  const path = join(directory, "store.db");
  const { size } = statSync(path);
  copyFileSync(path, join(directory, "whole"));
  const value = readFileSync(path).lastIndexOf("xxxxxxxx");
  for (const at of [value, 8192 + 3, 3 * 8192 + 1, size - 8192 + 1]) {
    copyFileSync(join(directory, "whole"), path);
    scribble(path, at, "\xffnoise\0");
    await assertRefused(directory, "damaged", /is damaged/);
  }
});

test("a store without its tables is refused", async (t) => {
  const directory = await filledDirectory(t);
  const database = new DatabaseSync(join(directory, "store.db"));
  database.exec("DROP TABLE log");
  database.close();
  await assertRefused(directory, "damaged", /no such table: log/);
});

test("a write-ahead log without its store is refused", async (t) => {
  const directory = temporaryDirectory(t);
  writeFileSync(join(directory, "store.db-wal"), "x".repeat(5000));
  await assertRefused(directory, "damaged", /store\.db is missing but its log/);
});

/** A directory as a crash leaves it: ten commits in the write-ahead log, none of them in the store proper. */
async function crashedDirectory(t: TestContext): Promise<string> {
  const living = temporaryDirectory(t);
  const crashed = temporaryDirectory(t);
  const store = await openStore({ directory: living });
  for (let i = 0; i < 10; i++) await put(store, `a/${i}`, { spec: `filling-${i}` });
  for (const file of ["store.db", "store.db-wal"]) copyFileSync(join(living, file), join(crashed, file));
  await store.close();
  return crashed;
}

test("a crash leaves a write-ahead log, and all that was committed is read from it", async (t) => {
  const directory = await crashedDirectory(t);
  const store = await openStore({ directory });
  assert.equal(store.count("pods"), 10);
  await store.close();
});

test("a write-ahead log that is damaged before its last transaction is refused", async (t) => {
  const directory = await crashedDirectory(t);
  const log = join(directory, "store.db-wal");
  copyFileSync(log, join(directory, "whole"));
  const places = [0, 5, 9, 18, 26, 32 + 2, 32 + 9, 32 + 17, readFileSync(log).indexOf("filling-4")];
  for (const at of places) {
    copyFileSync(join(directory, "whole"), log);
    scribble(log, at, "\xa5");
    await assertRefused(directory, "damaged", /write-ahead log is damaged/);
  }
});

test("a write-ahead log whose end was cut short loses only what was never acknowledged", async (t) => {
  const directory = await crashedDirectory(t);
  const log = join(directory, "store.db-wal");
  const { size } = statSync(log);
  truncateSync(log, size - 100);
  const store = await openStore({ directory });
  assert.equal(store.count("pods"), 9);
  assert.equal(store.revision, 10);
  await store.close();
});

test("a directory that cannot be one is a one-line error that says what to do", async (t) => {
  const directory = temporaryDirectory(t);
  writeFileSync(join(directory, "file"), "");
  for (const wanted of [join(directory, "file"), join(directory, "file/below"), "/proc/trivium"]) {
    await assert.rejects(openStore({ directory: wanted }), (error: unknown) => {
      assert.ok(error instanceof StoreRefused);
      assert.equal(error.reason, "unwritable");
      assert.match(
        error.message,
        /^cannot store data in .*; make it a directory that this user can write to, or choose another one$/,
      );
      return true;
    });
  }
});

test("what this user may not write is refused at the start, not at the first write", async (t) => {
  if (!(await isHeldToFileRights(t, import.meta.filename))) return;
  const directory = await filledDirectory(t);
  chmodSync(join(directory, "store.db"), 0o400);
  await assertRefused(directory, "unwritable", /permission denied.*choose another one$/);
  chmodSync(join(directory, "store.db"), 0o600);
  chmodSync(directory, 0o500);
  await assertRefused(directory, "unwritable", /permission denied.*choose another one$/);
  chmodSync(directory, 0o700);
  await (await openStore({ directory })).close();
});

test("a creation that was interrupted is started afresh", async (t) => {
  const directory = temporaryDirectory(t);
  writeFileSync(join(directory, "store.db.new"), "half a draft");
  writeFileSync(join(directory, "store.db.new-journal"), "and its journal");
  const store = await openStore({ directory });
  await put(store, "a/x");
  await store.close();
  assert.deepEqual(readdirSync(directory), ["lock.db", "store.db"]);
});

test("a refused directory can be used as soon as it is put right", async (t) => {
  const directory = await filledDirectory(t);
  const path = join(directory, "store.db");
  copyFileSync(path, join(directory, "whole"));
  truncateSync(path, 5000);
  await assertRefused(directory, "damaged", /is damaged/);
  rmSync(path);
  copyFileSync(join(directory, "whole"), path);
  const store = await openStore({ directory });
  assert.equal(names(store.list("pods")).length, 200);
  await store.close();
});
