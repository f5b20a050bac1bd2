import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { unzipSingle } from "../src/agent/unzip.ts";
import { folder } from "./stage.ts";

/** Archives as Python writes them: one that others wrote, in every way that matters here. */
function zip(to: string, script: string): void {
  const program = `import zipfile, sys\nz = zipfile.ZipFile(sys.argv[1], 'w')\n${script}\nz.close()`;
  execFileSync("python3", ["-c", program, to], { stdio: ["ignore", "ignore", "pipe"] });
}

const hasPython = ((): boolean => {
  try {
    execFileSync("python3", ["--version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
})();
const skip = hasPython ? false : "skipped: no python3 to write archives with";
const { signal } = new AbortController();

async function unpack(t: TestContext, script: string): Promise<string> {
  const at = join(await folder(t), "weights");
  mkdirSync(at);
  const path = join(at, "poet");
  zip(path, script);
  const file = { path: "poet", size: statSync(path).size, sha256: "1".repeat(64), version: null };
  await unzipSingle({ key: "k", source: "s", pinned: "s", include: [], files: [file] }, at, signal);
  return at;
}

test("stored and packed files, folders, and an entry of the long form", { skip }, async (t) => {
  const at = await unpack(
    t,
    `
z.mkdir('sub')
z.writestr('adapter_config.json', '{"peft_type":"LORA"}')
z.writestr('sub/weights.bin', b'abc' * 100000, zipfile.ZIP_DEFLATED)
z.writestr('empty', b'')
with z.open('long', 'w', force_zip64=True) as f: f.write(b'x' * 10)
`,
  );
  assert.equal(readFileSync(join(at, "adapter_config.json"), "utf8"), '{"peft_type":"LORA"}');
  assert.equal(readFileSync(join(at, "sub/weights.bin")).length, 300_000);
  assert.equal(readFileSync(join(at, "empty")).length, 0);
  assert.equal(readFileSync(join(at, "long"), "utf8"), "x".repeat(10));
});

test("what would lead out, is in its own way, or grows without end is refused, and nothing is left", {
  skip,
}, async (t) => {
  await assert.rejects(unpack(t, "z.writestr('../out', b'x')"), /out/);
  await assert.rejects(unpack(t, "z.writestr('/etc/out', b'x')"), /out/);
  await assert.rejects(unpack(t, "z.writestr('poet', b'x')"), /with the reserved name/);
  await assert.rejects(
    unpack(t, "i = zipfile.ZipInfo('link'); i.external_attr = 0o120777 << 16; z.writestr(i, '/etc/passwd')"),
    /link is a link/,
  );
  await assert.rejects(unpack(t, "z.writestr('big', b'0'); z.filelist[0].file_size = 10**9"), /more than 20 times/);
  await assert.rejects(
    unpack(t, "z.writestr('odd', b'x' * 100, zipfile.ZIP_BZIP2)"),
    /odd uses an unsupported compression method/,
  );
});

test("a garbled archive says so; a file that is none is left alone", { skip }, async (t) => {
  const at = join(await folder(t), "weights");
  mkdirSync(at);
  const path = join(at, "poet");
  zip(path, "z.writestr('weights.bin', bytes(i * 7 % 251 for i in range(50000)), zipfile.ZIP_DEFLATED)");
  const bytes = readFileSync(path);
  const manifest = (size: number, sha256: string) => ({
    ...{ key: "k", source: "s", pinned: "s", include: [] },
    files: [{ path: "poet", size, sha256, version: null }],
  });
  writeFileSync(path, Buffer.concat([bytes.subarray(0, 60), Buffer.alloc(20), bytes.subarray(80)]));
  await assert.rejects(
    unzipSingle(manifest(bytes.length, "2"), at, signal),
    /weights\.bin is damaged|checksum mismatch of weights\.bin/,
  );
  writeFileSync(path, bytes.subarray(0, 100));
  await assert.rejects(unzipSingle(manifest(100, "3"), at, signal), /its end record is missing/);
  assert.ok(!existsSync(join(at, "weights.bin")) && !existsSync(join(at, "weights.bin.unpacking")));
  writeFileSync(path, "GGUF and more");
  await unzipSingle(manifest(13, "4"), at, signal);
  assert.ok(!existsSync(join(at, ".unpacked")));
});
