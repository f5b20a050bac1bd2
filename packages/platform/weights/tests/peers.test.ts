import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { utimesSync } from "node:fs";
import { chmod, chown, lstat, mkdir, readdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { readWhole } from "../src/store/take-file.ts";
import { canClone, fetchModel } from "./fetching.ts";
import { bytes, folder, mebibyte, serve } from "./stage.ts";

const size = 300_000;

/** A store that a pod can write, and a source with other bytes of the same length. */
async function stage(t: TestContext) {
  const web = await serve(t, size);
  const dir = await folder(t);
  const peer = join(dir, "volumes/pod/.trivium");
  for (const name of ["blobs/sha256", "models"]) await mkdir(join(peer, name), { recursive: true });
  const shown = join(dir, "own/model.bin");
  const fetch = (...args: string[]) =>
    fetchModel(web.url(), ["--to", join(dir, "own"), ...args], { TRIVIUM_WEIGHTS_PEERS: peer });
  const blob = (sha256: string) => join(peer, "blobs/sha256", sha256);
  return { web, dir, peer, shown, fetch, blob };
}

test("a blob of a peer with other bytes than its name is not taken", async (t) => {
  const { web, dir, shown, fetch, blob } = await stage(t);
  await writeFile(blob(web.sha256), bytes(size));
  const { code, err } = await fetch("--sha256", web.sha256);
  assert.equal(code, 0, err);
  assert.ok((await readFile(shown)).equals(web.content), "it was downloaded");
  assert.deepEqual(await readdir(join(dir, "own/.trivium/blobs/sha256")), [web.sha256]);
  assert.equal((await stat(blob(web.sha256))).mode & 0o200, 0o200, "what is not taken is not touched");
});

test("a link or a pipe in a peer is not taken", { timeout: 20_000 }, async (t) => {
  for (const kind of ["link", "pipe"]) {
    const { web, dir, shown, fetch, blob } = await stage(t);
    await writeFile(join(dir, "elsewhere"), web.content);
    if (kind === "link") await symlink(join(dir, "elsewhere"), blob(web.sha256));
    else assert.equal(spawnSync("mkfifo", [blob(web.sha256)]).status, 0);
    const { code, err } = await fetch("--sha256", web.sha256);
    assert.equal(code, 0, err);
    assert.ok((await lstat(join(dir, "own/.trivium/blobs/sha256", web.sha256))).isFile());
    assert.ok(web.sent >= size, "it was downloaded");
    assert.ok((await readFile(shown)).equals(web.content));
  }
});

test("a manifest of a peer decides nothing, whatever digest it has", async (t) => {
  const planted = bytes(size);
  for (const sha256 of ["../../models/planted.json", createHash("sha256").update(planted).digest("hex")]) {
    const { web, dir, peer, shown, fetch, blob } = await stage(t);
    assert.equal((await fetchModel(web.url(), ["--to", join(dir, "other")])).code, 0);
    const models = join(dir, "other/.trivium/models");
    const [name = ""] = await readdir(models);
    const manifest = JSON.parse(await readFile(join(models, name), "utf8"));
    manifest.files[0].sha256 = sha256;
    await writeFile(join(peer, "models", name), JSON.stringify(manifest));
    await writeFile(blob(sha256), planted);
    const { code, err } = await fetch();
    assert.equal(code, 0, err);
    assert.ok((await readFile(shown)).equals(web.content));
    assert.deepEqual(await readdir(join(dir, "own/.trivium/models")), [name]);
  }
});

test("a blob that is taken loses its write bits; one of another user is copied", async (t) => {
  const own = process.getuid?.() ?? 0;
  for (const owner of own === 0 ? [own, 12_345] : [own]) {
    const { web, dir, shown, fetch, blob } = await stage(t);
    await writeFile(blob(web.sha256), web.content);
    await chmod(blob(web.sha256), 0o640);
    await chown(blob(web.sha256), owner, -1);
    const { code, err } = await fetch("--sha256", web.sha256);
    assert.equal(code, 0, err);
    assert.equal(web.sent, 0, "nothing was downloaded");
    const [mine, theirs] = [await stat(shown), await stat(blob(web.sha256))];
    assert.deepEqual([mine.mode & 0o777, mine.uid], [0o440, own]);
    assert.equal(mine.ino === theirs.ino, owner === own && !(await canClone(dir)));
  }
});

test("a file that changes while it is read is not taken", async (t) => {
  const path = join(await folder(t), "x");
  await writeFile(path, bytes(32 * mebibyte));
  const { signal } = new AbortController();
  assert.ok((await readWhole(path, signal)) !== undefined);
  let at = 0;
  const writing = setInterval(() => utimesSync(path, at, at++), 1);
  const read = await readWhole(path, signal).finally(() => clearInterval(writing));
  assert.equal(read, undefined);
});
