import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmod, mkdir, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { until } from "@trivium/testkit";
import { createFileSource } from "../src/sources/file-source.ts";
import type { Listing } from "../src/sources/source.ts";
import { Store } from "../src/store/store.ts";
import type { Progress } from "../src/transfer/meter.ts";
import { bytes, folder, impatient, lookUp, mebibyte, serve } from "./stage.ts";

const quick = { lease: { beatMs: 20, expireMs: 300 } };

async function listing(t: TestContext, url: string): Promise<Listing> {
  return { pinned: url, files: [await lookUp(t, url)] };
}

/** A model of a few local files. */
async function local(
  t: TestContext,
  files: Record<string, Buffer | string>,
): Promise<{ source: string; listing: Listing }> {
  const dir = await folder(t);
  for (const [path, content] of Object.entries(files)) {
    await mkdir(join(dir, path, ".."), { recursive: true });
    await writeFile(join(dir, path), content);
  }
  const signal = new AbortController().signal;
  return { source: dir, listing: await createFileSource([dir]).resolve({ scheme: "file", path: dir }, signal) };
}

test("a model is fetched once, found afterwards, and shown by links to one blob", async (t) => {
  const [server, dir] = [await serve(t, 2 * mebibyte), await folder(t)];
  const store = new Store(join(dir, "store"), quick);
  const first = await store.ensure(await listing(t, server.url()), { source: server.url(), settings: impatient });
  assert.equal(first.how, "fetched");
  const gets = server.gets;
  const again = await store.ensure(await listing(t, server.url()), { source: server.url(), settings: impatient });
  assert.deepEqual([again.how, server.gets], ["found", gets]);
  await store.view(first.manifest, join(dir, "a"));
  await store.view(first.manifest, join(dir, "b"));
  await store.view(first.manifest, join(dir, "a"));
  const [one, two] = await Promise.all(["a", "b"].map((name) => stat(join(dir, name, "model.bin"))));
  assert.equal(one?.ino, two?.ino);
  assert.equal((one?.mode ?? 0) & 0o222, 0, "a blob is not to be written to");
  assert.deepEqual(await readdir(join(dir, "a")), ["model.bin"]);
  assert.ok((await readFile(join(dir, "b", "model.bin"))).equals(server.content));
});

test("models of two addresses with the same bytes share them", async (t) => {
  const [one, two, dir] = [await serve(t, mebibyte), await serve(t, mebibyte), await folder(t)];
  two.content = one.content;
  const store = new Store(join(dir, "store"), quick);
  for (const [name, server] of Object.entries({ one, two })) {
    const url = server.url();
    const { manifest } = await store.ensure(await listing(t, url), { source: url, settings: impatient });
    await store.view(manifest, join(dir, name));
  }
  const [first, second] = await Promise.all(["one", "two"].map((name) => stat(join(dir, name, "model.bin"))));
  assert.equal(first?.ino, second?.ino);
});

test("a changed upstream is fetched again, an equal blob of another model is not", async (t) => {
  const [server, dir] = [await serve(t, mebibyte), await folder(t)];
  const store = new Store(dir, quick);
  await store.ensure(await listing(t, server.url()), { source: "x", settings: impatient });
  server.content = bytes(mebibyte);
  server.etag = '"v2"';
  const changed = await store.ensure(await listing(t, server.url()), { source: "x", settings: impatient });
  assert.equal(changed.how, "fetched");
  assert.equal(changed.manifest.files[0]?.sha256, server.sha256);
  const gets = server.gets;
  const file = await lookUp(t, server.url(), { digest: { algorithm: "sha256", hex: server.sha256 } });
  await store.ensure({ pinned: "other", files: [file] }, { source: "other", settings: impatient });
  assert.equal(server.gets, gets);
});

test("bytes with another digest are fetched once: neither a restart nor a correction of the digest fetches them again", async (t) => {
  const [server, dir] = [await serve(t, mebibyte), await folder(t)];
  const ensure = async (hex: string) => {
    const file = await lookUp(t, server.url(), { digest: { algorithm: "sha256", hex } });
    const settings = { ...impatient };
    return new Store(dir, quick).ensure({ pinned: `${server.url()}#${hex}`, files: [file] }, { source: "x", settings });
  };
  const wrong = "0".repeat(64);
  const expected = { kind: "mismatch", message: new RegExp(`expected sha256 ${wrong}, found ${server.sha256}`) };
  await assert.rejects(ensure(wrong), expected);
  const gets = server.gets;
  for (let restart = 0; restart < 3; restart++) await assert.rejects(ensure(wrong), expected);
  await assert.rejects(ensure("1".repeat(64)), { kind: "mismatch" });
  assert.equal((await ensure(server.sha256)).manifest.files[0]?.sha256, server.sha256);
  assert.equal(server.gets, gets, "nothing came over the wire after the first time");

  server.content = bytes(mebibyte);
  server.etag = '"v2"';
  const other = { kind: "mismatch", message: new RegExp(`found ${server.sha256}`) };
  await assert.rejects(ensure(wrong), other);
  assert.ok(server.gets > gets, "a source that changed is looked at again");
});

test("many that want one model cause one download, and the others see its progress", async (t) => {
  const [server, dir] = [await serve(t, 3 * mebibyte), await folder(t)];
  server.bytesPerSecond = 3 * mebibyte;
  const request = await listing(t, server.url());
  const observed: Progress[][] = [];
  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, i) => {
      const progress: Progress[] = [];
      observed.push(progress);
      const settings = { ...impatient, onProgress: (each: Progress) => progress.push(each) };
      return new Store(dir, quick).ensure(request, { source: `pod ${i}`, settings });
    }),
  );
  assert.equal(answers.filter(({ how }) => how === "fetched").length, 1);
  assert.equal(answers.filter(({ how }) => how === "followed").length, 9);
  assert.equal(server.sent, 3 * mebibyte);
  for (const progress of observed) {
    assert.ok(progress.length > 0);
    for (const [i, each] of progress.entries()) assert.ok(each.bytes >= (progress[i - 1]?.bytes ?? 0));
  }
});

test("a failure of the one is not the end for the others", async (t) => {
  const [server, dir] = [await serve(t, mebibyte), await folder(t)];
  const request = await listing(t, server.url());
  const stop = new AbortController();
  server.misdeeds.stallAfter = (count) => (count === 1 ? 1000 : undefined);
  const stall = { windowMs: 60_000, bytes: 1 };
  const one = new Store(dir, quick).ensure(request, {
    source: "one",
    settings: { ...impatient, stall, signal: stop.signal },
  });
  const failed = assert.rejects(one, { kind: "stopped" });
  await until(() => server.gets > 0);
  const two = new Store(dir, quick).ensure(request, { source: "two", settings: impatient });
  stop.abort();
  await failed;
  assert.equal((await two).how, "fetched");
});

test("the quota evicts what is unused for longest and never what is pinned, held or shown", async (t) => {
  const dir = await folder(t);
  const store = new Store(join(dir, "store"), { ...quick, quotaBytes: 3 * mebibyte });
  const add = async (name: string) => {
    const model = await local(t, { [name]: bytes(mebibyte) });
    const { manifest } = await store.ensure(model.listing, { source: name, settings: impatient });
    await new Promise((resolve) => setTimeout(resolve, 15));
    return manifest;
  };
  const names = async () => (await store.list()).map(({ source }) => source).sort();
  const a = await add("a");
  await store.hold(a.key, { is: "pin" });
  const b = await add("b");
  await add("c");
  await store.view(b, join(dir, "view"));
  await add("d");
  assert.deepEqual(await names(), ["a", "b", "d"]);
  const d = (await store.list()).find(({ source }) => source === "d");
  await store.hold(d?.key ?? "", { is: "holder", name: "pod-1" });
  await assert.rejects(add("e"), { kind: "no-space", message: /quota/ });
  assert.deepEqual(await names(), ["a", "b", "d"]);
  // A view that is gone counts no more.
  await rm(join(dir, "view"), { recursive: true });
  await add("f");
  assert.deepEqual(await names(), ["a", "d", "f"]);
  const report = await store.prune(0);
  assert.equal(report.evicted.length, 1);
  assert.equal(report.freedBytes, mebibyte);
});

test("fsck finds a flipped bit and a lost link, repairs, and the next fetch is whole", async (t) => {
  const dir = await folder(t);
  const store = new Store(join(dir, "store"), quick);
  const [broken, fine] = [await local(t, { "x.bin": bytes(1000) }), await local(t, { "sub/y": "hello", z: "z" })];
  const { manifest } = await store.ensure(broken.listing, { source: "broken", settings: impatient });
  const good = await store.ensure(fine.listing, { source: "fine", settings: impatient });
  await store.view(manifest, join(dir, "broken"));
  await store.view(good.manifest, join(dir, "fine"));
  assert.deepEqual(await store.fsck(), []);
  const blob = join(dir, "store", "blobs", "sha256", manifest.files[0]?.sha256 ?? "");
  await chmod(blob, 0o644);
  await writeFile(blob, Buffer.alloc(1000));
  await rm(join(dir, "fine", "sub", "y"));
  const findings = await store.fsck();
  assert.deepEqual(findings.map(({ problem }) => problem).sort(), ["blob-corrupt", "blob-missing", "view-broken"]);
  assert.equal(await readFile(join(dir, "fine", "sub", "y"), "utf8"), "hello");
  assert.deepEqual(await readdir(join(dir, "broken")), []);
  assert.equal((await store.ensure(broken.listing, { source: "broken", settings: impatient })).how, "fetched");
  assert.deepEqual(
    (await store.fsck()).map(({ problem }) => problem),
    ["view-broken"],
    "the view lost its file and gets it back",
  );
  assert.equal((await stat(join(dir, "broken", "x.bin"))).size, 1000);
  assert.deepEqual(await store.fsck(), []);
});

test("a view does not follow a link out of its folder", async (t) => {
  const [dir, outside] = [await folder(t), await folder(t)];
  const store = new Store(join(dir, "store"), quick);
  const model = await local(t, { "sub/x": "x" });
  const { manifest } = await store.ensure(model.listing, { source: "m", settings: impatient });
  await mkdir(join(dir, "view"));
  await symlink(outside, join(dir, "view", "sub"));
  await assert.rejects(store.view(manifest, join(dir, "view")), { reason: "UnsafePath" });
  assert.deepEqual(await readdir(outside), []);
});

test("pipes and devices in a store are not waited for", async (t) => {
  const dir = await folder(t);
  const store = new Store(dir, quick);
  const { source, listing: listed } = await local(t, { "model.gguf": "weights" });
  const { manifest } = await store.ensure(listed, { source, settings: impatient });
  execFileSync("mkfifo", [join(dir, "models", `${"0".repeat(64)}.json`), join(dir, "blobs", "sha256", "1".repeat(64))]);
  await symlink("/dev/zero", join(dir, "models", `${"2".repeat(64)}.json`));
  assert.deepEqual(
    (await store.list()).map(({ key }) => key),
    [manifest.key],
  );
  const findings = await store.fsck();
  const repaired = findings.filter(({ problem }) => problem === "blob-corrupt").map(({ repair }) => repair);
  assert.deepEqual(repaired, ["removed; it is not a regular file"]);
  assert.equal((await readdir(join(dir, "blobs", "sha256"))).length, 1);
});
