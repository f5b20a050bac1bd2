import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { checkName, nameFor, parseTarget } from "./target.ts";

test("a file of this disk wins, whatever it is called", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "target-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, "My Model.gguf");
  writeFileSync(path, "GGUF");
  writeFileSync(join(folder, "service.yaml"), "");
  assert.deepEqual(parseTarget(path), { is: "file", path });
  assert.deepEqual(parseTarget(`file://${path}`), { is: "file", path });
  assert.deepEqual(parseTarget(`file://${path.replace(" ", "%20")}`), { is: "file", path });
  assert.deepEqual(parseTarget(join(folder, "service.yaml")), { is: "manifest", path: join(folder, "service.yaml") });
  assert.throws(() => parseTarget(folder), /is a folder; name a GGUF file in it/);
});

test("ids of a hub, with revision and quantization", () => {
  const repository = "Qwen/Qwen3-0.6B-GGUF";
  assert.deepEqual(parseTarget(repository), { is: "repository", repository });
  assert.deepEqual(parseTarget(`hf://${repository}:Q8_0`), { is: "repository", repository, quantization: "Q8_0" });
  assert.deepEqual(parseTarget(`${repository}@main:Q4_K_M`), {
    is: "repository",
    repository,
    revision: "main",
    quantization: "Q4_K_M",
  });
});

test("a file of a repository", () => {
  const file = "sub/Qwen3-0.6B-Q8_0.gguf";
  const repository = "Qwen/Qwen3-0.6B-GGUF";
  assert.deepEqual(parseTarget(`hf://${repository}/${file}`), { is: "repository", repository, file });
});

test("addresses", () => {
  for (const uri of ["https://example.com/a.gguf", "http://127.0.0.1:8/a.gguf", "s3://bucket/a.gguf"])
    assert.deepEqual(parseTarget(uri), { is: "address", uri });
});

test("what is none of these is refused with what could be", () => {
  for (const text of [
    "./nope.gguf",
    "~/nope.gguf",
    "nope",
    "a b/c",
    "models/nope.gguf",
    "",
    "org/",
    "../x/y",
    "org/repo.yaml",
  ])
    assert.throws(
      () => parseTarget(text),
      /(no such file|not the address of a model); name a GGUF file, org\/repo|is a folder/,
      text,
    );
  assert.throws(() => parseTarget(`file://${homedir()}/nope.gguf`), /no such file/);
});

test("names that Kubernetes takes", () => {
  assert.equal(nameFor("/x/Qwen3-0.6B-Q8_0.gguf"), "qwen3-0-6b-q8-0");
  assert.equal(nameFor("org/Big-00001-of-00003.gguf"), "big");
  assert.equal(nameFor("3-äöü.gguf"), "model");
  assert.ok(nameFor(`${"a".repeat(80)}.gguf`).length <= 40);
});

test("a name that Kubernetes does not take is refused with one that it takes", () => {
  assert.equal(checkName("my-model-2"), "my-model-2");
  assert.throws(() => checkName("Bad Name!"), /^Refusal: "Bad Name!" is not a valid name .*; use --name bad-name$/);
  for (const name of ["", "-a", "a-", "2b", "a.b", "a".repeat(64)]) assert.throws(() => checkName(name), /use --name /);
});
