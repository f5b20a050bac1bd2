import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { appendFileSync } from "node:fs";
import { mkdtemp, open, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { digestFile } from "../src/index.ts";
import { openFile } from "../src/sources/open-file.ts";
import { DigestFollower } from "../src/transfer/parts/digest-follower.ts";

async function makeFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "trivium-digest-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

test("small and large files have the digest of all their bytes", async (t) => {
  const folder = await makeFolder(t);
  for (const size of [0, 7, 5 * 1024 * 1024 + 3]) {
    const bytes = Buffer.alloc(size, 3);
    await writeFile(join(folder, "f"), bytes);
    assert.equal(await digestFile(join(folder, "f")), createHash("sha256").update(bytes).digest("hex"));
  }
});

test("pipes and devices are refused at once", async (t) => {
  const pipe = join(await makeFolder(t), "pipe");
  execFileSync("mkfifo", [pipe]);
  for (const path of [pipe, "/dev/zero"]) {
    await assert.rejects(digestFile(path), /not a regular file/);
    await assert.rejects(openFile(path), /not a regular file/);
  }
});

test("a pipe that takes the place of a file after it was looked at is not waited for", async (t) => {
  const pipe = join(await makeFolder(t), "pipe");
  execFileSync("mkfifo", [pipe]);
  for (const size of [7, 5 * 1024 * 1024]) {
    const follower = new DigestFollower({ path: pipe, total: size, algorithm: undefined });
    // An empty digest or an error, as the system answers; what counts is that there is an answer.
    await follower.finish(size).catch(() => undefined);
    await follower.stop();
  }
});

test("a file that grows while it is read has no digest", async (t) => {
  const path = join(await makeFolder(t), "f");
  const handle = await open(path, "w");
  await handle.truncate(64 * 1024 * 1024);
  await handle.close();
  const growing = digestFile(path);
  const writing = setInterval(() => appendFileSync(path, "more"), 1);
  try {
    await assert.rejects(growing, /changed while it was read/);
  } finally {
    clearInterval(writing);
  }
});
