import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmod, mkdir, mkdtemp, realpath, rm, symlink, truncate, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { localDigest, localFile } from "@trivium/domain";
import { localFileAnswers } from "../src/index.ts";
import { ask } from "./ask.ts";

const now = () => 1_000;

async function stage(t: TestContext) {
  const home = await realpath(await mkdtemp(join(tmpdir(), "trivium-probes-")));
  t.after(() => rm(home, { recursive: true, force: true }));
  const [allowed, secret] = [join(home, "models"), join(home, "secret")];
  await mkdir(allowed);
  await mkdir(secret);
  await writeFile(join(allowed, "m.gguf"), "weights");
  await writeFile(join(secret, "key"), "hidden");
  const answers = localFileAnswers([{ path: "/models", realPath: allowed }], now);
  return {
    allowed,
    secret,
    answers,
    inspect: (path: string) => ask(answers, localFile, { path }),
    digest: (path: string) => ask(answers, localDigest, { path, version: "any" }),
  };
}

test("a file is told with its size and a version that changes with it", async (t) => {
  const { allowed, inspect } = await stage(t);
  const found = await inspect("/models/m.gguf");
  assert.ok(found?.is === "file");
  assert.deepEqual([found.bytes, found.at], [7, 1_000]);
  assert.match(found.version, /^mtime:\d{16,}$/);
  await utimes(join(allowed, "m.gguf"), 1, 1);
  const later = await inspect("/models/m.gguf");
  assert.ok(later?.is === "file" && later.version !== found.version);
  assert.equal((await inspect("/models"))?.is, "folder");
});

test("what is not there is absent, also below a file", async (t) => {
  const { inspect } = await stage(t);
  assert.equal(await inspect("/models/none.gguf"), undefined);
  assert.equal(await inspect("/models/m.gguf/below"), undefined);
});

test("nothing outside of the allowed folders is told, by whatever way it is named", async (t) => {
  const { allowed, secret, inspect, digest } = await stage(t);
  await symlink(join(secret, "key"), join(allowed, "link"));
  await symlink(secret, join(allowed, "folder"));
  await symlink(join(allowed, "m.gguf"), join(allowed, "inside"));
  const ways = ["/models/link", "/models/folder/key", "/models/../secret/key", "/models2/m.gguf", join(secret, "key")];
  for (const path of ways) {
    const found = await inspect(path);
    assert.ok(found?.is === "unreadable" && /allow/.test(found.why), path);
    await assert.rejects(digest(path), /allow/, path);
  }
  assert.equal((await inspect("/models/inside"))?.is, "file");
});

test("what may not be read is told as such", async (t) => {
  const { allowed, inspect } = await stage(t);
  // Whoever may read everything is somebody else for a moment.
  const isRoot = process.geteuid?.() === 0;
  if (isRoot) process.seteuid?.(65_534);
  else await chmod(allowed, 0);
  try {
    assert.deepEqual(await inspect("/models/m.gguf"), { is: "unreadable", why: "permission denied" });
  } finally {
    if (isRoot) process.seteuid?.(0);
    else await chmod(allowed, 0o700);
  }
});

test("a digest is of the whole file; a folder and a missing file have none", async (t) => {
  const { digest } = await stage(t);
  assert.equal(await digest("/models/m.gguf"), createHash("sha256").update("weights").digest("hex"));
  await assert.rejects(digest("/models"), /EISDIR/);
  await assert.rejects(digest("/models/none"), /ENOENT/);
});

test("a pipe that takes the place of a file is not waited for", async (t) => {
  const { allowed, digest } = await stage(t);
  await rm(join(allowed, "m.gguf"));
  execFileSync("mkfifo", [join(allowed, "m.gguf")]);
  await assert.rejects(digest("/models/m.gguf"), /not a regular file/);
});

test("a digest that is not needed any more ends, however large the file", async (t) => {
  const { allowed, answers } = await stage(t);
  await truncate(join(allowed, "m.gguf"), 2 ** 42);
  const answered = answers.find(({ query }) => query.name === localDigest.name);
  const ending = new AbortController();
  const call = answered?.answer({ path: "/models/m.gguf", version: "any" }, { signal: ending.signal });
  await setTimeout(100); // the thread reads; with less it would not have begun, which ends as well
  ending.abort();
  await assert.rejects(async () => call, { name: "AbortError" });
});
