import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { chmod, copyFile, lstat, mkdir, readdir, readFile, stat, symlink, truncate, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { HubServer } from "@trivium/testkit";
import { cacheKey } from "../src/store/layouts.ts";
import { canClone, demo, fetchModel } from "./fetching.ts";
import { folder, serve } from "./stage.ts";

/** Nothing answers there. */
const dead = { HF_ENDPOINT: "http://127.0.0.1:9" };

test("a whole file at the path of the cache is taken without asking the source", async (t) => {
  const dir = await folder(t);
  const source = "https://127.0.0.1:9/models/demo.gguf";
  const lying = join(dir, cacheKey(source), "demo.gguf");
  await mkdir(dirname(lying));
  await copyFile(demo, lying);
  const store = ["--store", join(dir, ".trivium")];
  const to = ["--to", dirname(lying), "--name", "demo.gguf"];
  const first = await fetchModel(source, [...to, ...store, "--if-absent"]);
  assert.deepEqual([first.code, first.how], [0, "adopted"], first.err);
  const sha256 = createHash("sha256")
    .update(await readFile(demo))
    .digest("hex");
  const blob = join(dir, ".trivium/blobs/sha256", sha256);
  assert.equal((await stat(blob)).ino, (await stat(lying)).ino, "the disk has it once");
  const again = await fetchModel(source, [...to, ...store, "--if-absent"]);
  assert.deepEqual([again.code, again.how], [0, "kept"], again.err);
  const right = await fetchModel(source, [...to, ...store, "--if-absent", "--sha256", sha256]);
  assert.equal(right.code, 0, right.err);
  const wrong = await fetchModel(source, [...to, ...store, "--if-absent", "--sha256", "0".repeat(64)]);
  assert.equal(wrong.code, 7, "with another digest it is not taken, and the source is asked");
});

test("a file that another program named by its header is taken too", async (t) => {
  const dir = await folder(t);
  await copyFile(demo, join(dir, "Trivium-Demo.gguf"));
  const { code, how, err } = await fetchModel("https://127.0.0.1:9/x.gguf", ["--to", dir, "--name", "x.gguf"]);
  assert.deepEqual([code, how], [0, "adopted"], err);
  assert.ok((await readFile(join(dir, "x.gguf"))).equals(await readFile(demo)));
});

test("a file that is cut, is empty or is no model is not taken", async (t) => {
  const dir = await folder(t);
  const lying = join(dir, "x.gguf");
  const damages: readonly (() => Promise<void>)[] = [
    () => truncate(lying, 2_000_000),
    () => truncate(lying, 100),
    () => truncate(lying, 0),
    () => writeFile(lying, "<html>not found</html>"),
  ];
  for (const damage of damages) {
    await copyFile(demo, lying);
    await damage();
    const { code } = await fetchModel("https://127.0.0.1:9/x.gguf", ["--to", dir, "--name", "x.gguf", "--if-absent"]);
    assert.equal(code, 7, "the source is asked");
  }
});

test("a source that answers is compared: the same bytes are not downloaded, others are", async (t) => {
  const hub = await new HubServer().listen();
  t.after(() => hub.close());
  const content = await readFile(demo);
  hub.files.set("demo.gguf", { content, isLarge: true });
  const sent = () => hub.served;
  const dir = await folder(t);
  await copyFile(demo, join(dir, "demo.gguf"));
  const before = sent();
  const { code, err } = await fetchModel("hf://org/repo", ["--to", dir], { HF_ENDPOINT: hub.endpoint });
  assert.equal(code, 0, err);
  assert.ok(sent() - before < content.length / 2, "the file was not sent");
  const other = await folder(t);
  const changed = Buffer.from(content);
  changed[content.length - 1]! ^= 1;
  await writeFile(join(other, "demo.gguf"), changed);
  assert.equal((await fetchModel("hf://org/repo", ["--to", other], { HF_ENDPOINT: hub.endpoint })).code, 0);
  assert.ok((await readFile(join(other, "demo.gguf"))).equals(content), "what the source has is what is served");
});

test("files of something else in the folder are neither taken nor touched while the source answers", async (t) => {
  const hub = await new HubServer().listen();
  t.after(() => hub.close());
  hub.files.set("config.json", { content: Buffer.from("{}"), isLarge: false });
  const dir = await folder(t);
  await copyFile(demo, join(dir, "mine.gguf"));
  const { code, how, err } = await fetchModel("hf://org/repo", ["--to", dir], { HF_ENDPOINT: hub.endpoint });
  assert.deepEqual([code, how], [0, "fetched"], err);
  assert.equal((await stat(join(dir, "mine.gguf"))).nlink, 1);
});

test("a whole folder is taken while its source does not answer", async (t) => {
  const dir = await folder(t);
  await copyFile(demo, join(dir, "demo.gguf"));
  await writeFile(join(dir, "config.json"), "{}");
  const { code, how, err } = await fetchModel("hf://org/repo", ["--to", dir], dead);
  assert.deepEqual([code, how], [0, "adopted"], err);
  const partial = await folder(t);
  await copyFile(demo, join(partial, "demo.gguf"));
  await writeFile(join(partial, "more.gguf.part"), "x");
  assert.equal((await fetchModel("hf://org/repo", ["--to", partial], dead)).code, 7, "a download was under way");
});

test("stores on one disk share what they have, and delete it one by one", async (t) => {
  const hub = await new HubServer().listen();
  t.after(() => hub.close());
  const content = await readFile(demo);
  hub.files.set("demo.gguf", { content, isLarge: true });
  const web = await serve(t, 1_000_000);
  const dir = await folder(t);
  const stores = ["a", "b", "c"].map((name) => join(dir, name, ".trivium"));
  const environment = { HF_ENDPOINT: hub.endpoint, TRIVIUM_WEIGHTS_PEERS: stores.join(":") };
  const inodes = new Set<number>();
  for (const [at, name] of ["a", "b", "c"].entries()) {
    const before = hub.served;
    const { code, err } = await fetchModel("hf://org/repo", ["--to", join(dir, name)], environment);
    assert.equal(code, 0, err);
    if (at > 0) assert.ok(hub.served - before < content.length / 2, "the second store links");
    inodes.add((await stat(join(dir, name, "demo.gguf"))).ino);
    assert.equal((await fetchModel(web.url(), ["--to", join(dir, name)], environment)).code, 0);
    inodes.add((await stat(join(dir, name, "model.bin"))).ino);
  }
  assert.equal(inodes.size, (await canClone(dir)) ? 6 : 2, "two files on the disk, for three stores");
  const blobs = await readdir(join(dir, "b", ".trivium/blobs/sha256"));
  assert.equal(blobs.length, 2);
});

test("a file of the whole length is downloaded while the source answers and lists no digest", async (t) => {
  const web = await serve(t, 1);
  web.content = await readFile(demo);
  const dir = await folder(t);
  const half = Buffer.concat([web.content.subarray(0, web.content.length / 2), Buffer.alloc(web.content.length / 2)]);
  await writeFile(join(dir, "model.bin"), half);
  const { code, how, err } = await fetchModel(web.url(), ["--to", dir]);
  assert.deepEqual([code, how], [0, "fetched"], err);
  assert.ok((await readFile(join(dir, "model.bin"))).equals(web.content));
});

test("a private file stays private, and only loses its write bits", async (t) => {
  const dir = await folder(t);
  await copyFile(demo, join(dir, "x.gguf"));
  await chmod(join(dir, "x.gguf"), 0o640);
  const { how, err } = await fetchModel("https://127.0.0.1:9/x.gguf", ["--to", dir, "--name", "x.gguf"]);
  assert.equal(how, "adopted", err);
  assert.equal((await stat(join(dir, "x.gguf"))).mode & 0o777, 0o440);
});

test("a link in the folder is resolved; the store has a file, not a link", async (t) => {
  for (const isAbsolute of [true, false]) {
    const dir = await folder(t);
    await mkdir(join(dir, "real"));
    await copyFile(demo, join(dir, "real/x.bin"));
    await symlink(isAbsolute ? join(dir, "real/x.bin") : "real/x.bin", join(dir, "x.gguf"));
    for (const expected of ["adopted", "kept"]) {
      const args = ["--to", dir, "--name", "x.gguf", "--if-absent"];
      const { how, err } = await fetchModel("https://127.0.0.1:9/x.gguf", args);
      assert.equal(how, expected, err);
    }
    const blobs = join(dir, ".trivium/blobs/sha256");
    const found = await Promise.all((await readdir(blobs)).map((name) => lstat(join(blobs, name))));
    assert.deepEqual(
      found.map((one) => one.isFile()),
      [true],
    );
  }
});

test("a link that leads out of the folder is not taken, and hinders no download", async (t) => {
  const web = await serve(t, 1000);
  const [dir, other] = [await folder(t), await folder(t)];
  await copyFile(demo, join(other, "x.gguf"));
  await symlink(join(other, "x.gguf"), join(dir, "x.gguf"));
  await symlink("nowhere", join(dir, "broken.gguf"));
  assert.equal((await fetchModel("https://127.0.0.1:9/x.gguf", ["--to", dir, "--name", "x.gguf"])).code, 7);
  assert.equal((await fetchModel(web.url(), ["--to", dir])).code, 0);
  assert.equal((await stat(join(other, "x.gguf"))).nlink, 1);
});
