import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { gzipSync, zstdCompressSync } from "node:zlib";
import fc from "fast-check";
import { readTar } from "../src/archive/tar.ts";
import { WeightsError } from "../src/fault.ts";
import { Store } from "../src/store/store.ts";
import type { Archive, RemoteFile } from "../src/transfer/remote-file.ts";
import { type Packed, paxPath, tar } from "./archives.ts";
import { bytes, folder, impatient } from "./stage.ts";

interface Layer {
  readonly packed: Buffer;
  readonly compression?: Archive["compression"];
  readonly root?: string;
  readonly include?: readonly string[];
}

function remote({ packed, compression = "none", root = "", include = [] }: Layer, index: number): RemoteFile {
  const hex = createHash("sha256").update(packed).digest("hex");
  const body = async function* () {
    yield packed;
  };
  return {
    path: `layers/${index}`,
    shownAs: "oci://reg/m",
    size: packed.length,
    digest: { algorithm: "sha256", hex },
    archive: { compression, root, include },
    open: async () => ({
      start: 0,
      total: packed.length,
      version: undefined,
      protocol: "test",
      body: body(),
      cancel() {},
    }),
  };
}

async function unpacked(t: TestContext, layers: readonly Layer[]): Promise<Record<string, string>> {
  const dir = await folder(t);
  const store = new Store(join(dir, "store"));
  const request = { pinned: `x@${Math.random()}`, files: layers.map(remote) };
  const { manifest } = await store.ensure(request, { source: "m", settings: impatient });
  assert.equal((await store.ensure(request, { source: "m", settings: impatient })).how, "found");
  await store.view(manifest, join(dir, "view"));
  assert.deepEqual(await store.fsck(), []);
  const blobs = await readdir(join(dir, "store", "blobs", "sha256"));
  assert.equal(
    blobs.length,
    new Set(manifest.files.map(({ sha256 }) => sha256)).size,
    "the archive itself is not kept",
  );
  const found: Record<string, string> = {};
  for (const { path } of manifest.files) found[path] = await readFile(join(dir, "view", path), "utf8");
  return found;
}

const plain = (...entries: Packed[]): Layer => ({ packed: tar(...entries) });

test("archives are unpacked, also compressed ones, and long names are kept", async (t) => {
  const long = `deep/${"d".repeat(90)}/${"n".repeat(120)}.bin`;
  const entries = [
    { path: "a.txt", content: "A" },
    { path: "./sub/", type: "5", size: 4096 },
    paxPath(long),
    { path: "cut", content: "L" },
  ];
  const expected = { "a.txt": "A", [long]: "L" };
  assert.deepEqual(await unpacked(t, [plain(...entries)]), expected);
  assert.deepEqual(await unpacked(t, [{ packed: gzipSync(tar(...entries)), compression: "gzip" }]), expected);
  assert.deepEqual(await unpacked(t, [{ packed: zstdCompressSync(tar(...entries)), compression: "zstd" }]), expected);
});

test("what tar itself packs is read, in each of its formats", async (t) => {
  const dir = await folder(t);
  const name = `${"long".repeat(40)}.bin`;
  await mkdir(join(dir, "m", "sub"), { recursive: true });
  await writeFile(join(dir, "m", name), bytes(70_000));
  await writeFile(join(dir, "m", "sub", "b"), "B");
  await symlink("sub/b", join(dir, "m", "link"));
  for (const format of ["gnu", "pax", "ustar"]) {
    const source = format === "ustar" ? ["sub", "link"] : ["."];
    const { status, stderr } = spawnSync("tar", [
      `--format=${format}`,
      "-cf",
      join(dir, "x.tar"),
      "-C",
      join(dir, "m"),
      ...source,
    ]);
    assert.equal(status, 0, String(stderr));
    const found = await unpacked(t, [{ packed: await readFile(join(dir, "x.tar")) }]);
    assert.deepEqual(
      Object.keys(found).sort(),
      format === "ustar" ? ["link", "sub/b"] : ["link", name, "sub/b"].sort(),
    );
    assert.equal(found.link, "B");
  }
});

test("of an image only its models folder counts, upper layers win, and links stay inside", async (t) => {
  const root = "models/";
  const lower = tar(
    { path: "bin/sh", content: "no" },
    { path: "bin/ls", type: "2", target: "/bin/busybox" },
    { path: "models/config.json", content: "{}" },
    { path: "models/old/gone", content: "x" },
    { path: "models/kept/f", content: "old" },
    { path: "models/blob", content: "W" },
  );
  const upper = tar(
    { path: "models/old/.wh.gone" },
    { path: "models/kept/.wh..wh..opq" },
    { path: "models/kept/g", content: "new" },
    { path: "models/hard", type: "1", target: "models/blob" },
    { path: "models/soft", type: "2", target: "/models/blob" },
    { path: "models/folder", type: "2", target: "kept" },
  );
  const layers = [{ packed: lower, root }, { packed: gzipSync(upper), compression: "gzip", root } as const];
  assert.deepEqual(await unpacked(t, layers), {
    blob: "W",
    "config.json": "{}",
    "folder/g": "new",
    hard: "W",
    "kept/g": "new",
    soft: "W",
  });
  const some = layers.map((layer) => ({ ...layer, include: ["*.json"] }));
  assert.deepEqual(await unpacked(t, some), { "config.json": "{}" });
});

test("hostile archives are refused in words, and nothing is left behind", async (t) => {
  const cases: [Layer, object][] = [
    [plain({ path: "../evil", content: "x" }), { reason: "UnsafePath" }],
    [plain({ path: "a", type: "2", target: "../../etc/passwd" }), { reason: "UnsafePath" }],
    [plain({ path: "a", type: "1", target: "/etc/passwd" }), { reason: "UnsafePath" }],
    [plain({ path: "a", type: "2", target: "b" }, { path: "b", type: "2", target: "a" }), { message: /circular/ }],
    [{ packed: tar({ path: "models/a", type: "2", target: "/etc/x" }), root: "models/" }, { reason: "UnsafePath" }],
    [plain({ path: "a\nb", content: "x" }), { reason: "UnsafePath" }],
    [plain({ path: "a", content: "x", size: 5000 }), { message: /is truncated/ }],
    [{ packed: Buffer.alloc(2048, 7) }, { message: /damaged/ }],
    [{ packed: bytes(2000), compression: "gzip" }, { message: /cannot read the archive/ }],
    [
      { packed: gzipSync(tar({ path: "z", content: Buffer.alloc(80_000_000) })), compression: "gzip" },
      { message: /expands/ },
    ],
    [plain({ path: "only/", type: "5" }), { reason: "NothingMatches" }],
    [{ packed: tar({ path: "bin/sh", content: "x" }), root: "models/" }, { message: /no files under \/models/ }],
  ];
  for (const [layer, expected] of cases) {
    const dir = await folder(t);
    const request = { pinned: "x", files: [remote(layer, 0)] };
    const made = new Store(join(dir, "store")).ensure(request, { source: "m", settings: impatient });
    await assert.rejects(made, expected, JSON.stringify(expected));
    assert.deepEqual(await readdir(dir), ["store"]);
  }
});

test("any bytes are an archive or are refused, never worse", async () => {
  const good = tar({ path: "a", content: "hello" }, paxPath("b/c"), { path: "x", content: "y" });
  const flips = fc.array(fc.tuple(fc.nat(good.length - 1), fc.nat(255)), { maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(flips, fc.nat(good.length), async (changes, length) => {
      const bad = Buffer.from(good.subarray(0, length));
      for (const [at, value] of changes) if (at < bad.length) bad[at] = value;
      const stream = async function* () {
        for (let at = 0; at < bad.length; at += 100) yield bad.subarray(at, at + 100);
      };
      try {
        for await (const entry of readTar(stream(), "x")) for await (const _ of entry.body);
      } catch (error) {
        assert.ok(error instanceof WeightsError, String(error));
      }
    }),
    { numRuns: 300 },
  );
});

test("an archive that is not read to its end lets go of its file", async (t) => {
  const path = join(await folder(t), "x.tar");
  await writeFile(path, tar({ path: "a", content: Buffer.alloc(500_000) }, { path: "b", content: "b" }));
  const file = createReadStream(path);
  for await (const entry of readTar(file, "x")) if (entry.path === "a") break;
  assert.equal(file.destroyed, true);
});
