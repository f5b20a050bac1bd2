import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, rm, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { Layout } from "../src/store/layout.ts";
import { Lease } from "../src/store/lease.ts";
import { Store } from "../src/store/store.ts";
import { putBlob } from "../src/store/take-file.ts";
import { bytes, folder } from "./stage.ts";

const sha256Of = (content: string | Buffer): string => createHash("sha256").update(content).digest("hex");

interface Planted {
  readonly path?: string;
  readonly content?: string;
  readonly sha256?: string;
  readonly view: string;
}

/** Writes by hand what a store keeps of a model of one file that a folder shows, as a pod can that has the volume. */
async function plant(root: string, { path = "x", content = "planted", view, sha256 }: Planted): Promise<Layout> {
  const [layout, key] = [new Layout(root), "0".repeat(16)];
  for (const made of [layout.blobs, layout.models, layout.referencesOf(key)]) await mkdir(made, { recursive: true });
  await writeFile(layout.blob(sha256Of(content)), content);
  const files = [{ path, size: content.length, sha256: sha256 ?? sha256Of(content), version: null }];
  const manifest = { key, source: "planted", pinned: "planted", include: [], files };
  await writeFile(layout.manifest(key), JSON.stringify(manifest));
  await writeFile(join(layout.referencesOf(key), "view-0"), JSON.stringify({ is: "view", path: view }));
  return layout;
}

async function volumeAndHost(dir: string): Promise<{ volume: string; host: string; root: string }> {
  const [volume, host] = [join(dir, "volume"), join(dir, "host")];
  for (const made of [volume, host]) await mkdir(made);
  await writeFile(join(host, "x"), "of the host");
  return { volume, host, root: join(volume, ".trivium") };
}

test("a record whose digests or paths lead out of the store is no model", async (t) => {
  const { volume, host, root } = await volumeAndHost(await folder(t));
  const view = join(volume, "view");
  await mkdir(view);
  const content = "of the host";
  for (const planted of [
    { sha256: "../../../../host/x" },
    { sha256: sha256Of(content).toUpperCase() },
    { path: "../x" },
    { path: join(host, "x") },
  ]) {
    await plant(root, { content, view, ...planted });
    assert.deepEqual(await new Store(root).list(), [], JSON.stringify(planted));
    await new Store(root).fsck();
    assert.deepEqual(await readdir(view), []);
  }
});

test("fsck leaves the notes that a running download writes, and removes those of killed ones and old ones", async (t) => {
  const store = new Layout(await folder(t));
  const [running, killed, unknown] = ["1", "2", "3"].map((digit) => digit.repeat(16)) as [string, string, string];
  for (const made of [store.models, store.leases]) await mkdir(made);
  const lease = await Lease.tryTake(store.leases, running, { beatMs: 1_000, expireMs: 60_000 });
  const held = JSON.parse(await readFile(join(store.leases, `${running}.1`), "utf8"));
  const { pid } = spawnSync("true");
  await writeFile(join(store.leases, `${killed}.1`), JSON.stringify({ ...held, pid }));
  const note = (key: string, id: string) => join(store.models, `${key}.pending.${id}.new`);
  for (const path of [note(running, "a"), note(unknown, "a"), note(killed, "a"), note(unknown, "old")])
    await writeFile(path, "{");
  const old = new Date(Date.now() - 11 * 60_000);
  await utimes(note(unknown, "old"), old, old);

  const findings = await new Store(store.root).fsck();
  await lease?.release();
  assert.deepEqual(findings.map(({ path }) => path).sort(), [note(killed, "a"), note(unknown, "old")].sort());
  assert.deepEqual((await readdir(store.models)).map((name) => join(store.models, name)).sort(), [
    note(running, "a"),
    note(unknown, "a"),
  ]);
});

test("fsck passes over blobs that others delete meanwhile", async (t) => {
  const layout = new Layout(await folder(t));
  await mkdir(layout.blobs, { recursive: true });
  const contents = Array.from({ length: 300 }, (_, index) => `blob ${index}`);
  for (const content of contents) await writeFile(layout.blob(sha256Of(content)), content);
  const checking = new Store(layout.root).fsck();
  await Promise.all([checking, ...contents.map((content) => rm(layout.blob(sha256Of(content)), { force: true }))]);
  assert.deepEqual(await checking, []);
});

test("bytes that are whole take the place of a damaged blob, and not that of a whole one", async (t) => {
  const dir = await folder(t);
  const [layout, content] = [new Layout(join(dir, "store")), bytes(1000)];
  const [sha256, path] = [sha256Of(content), join(dir, "fresh")];
  await mkdir(layout.blobs, { recursive: true });
  await writeFile(layout.blob(sha256), Buffer.alloc(1000));
  for (const _ of ["over a damaged one", "beside a whole one"]) {
    await writeFile(path, content);
    await putBlob(layout, { path, sha256, size: 1000 });
    assert.ok((await readFile(layout.blob(sha256))).equals(content));
    assert.deepEqual(await readdir(dir), ["store"]);
  }
});
