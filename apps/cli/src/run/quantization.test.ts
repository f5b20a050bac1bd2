import assert from "node:assert/strict";
import { test } from "node:test";
import { chooseVariant, listVariants, variantOf } from "./quantization.ts";

const files = [
  { path: "README.md", size: 10 },
  { path: "model-Q8_0.gguf", size: 800 },
  { path: "model-Q4_K_M.gguf", size: 400 },
  { path: "mmproj-F16.gguf", size: 50 },
  { path: "BF16/model-BF16-00002-of-00002.gguf", size: 900 },
  { path: "BF16/model-BF16-00001-of-00002.gguf", size: 900 },
];

test("the models of a repository: parts belong together, projectors are none", () => {
  assert.deepEqual(
    listVariants(files).map(({ quantization, bytes, files: { length } }) => [quantization, bytes, length]),
    [
      ["Q4_K_M", 400, 1],
      ["Q8_0", 800, 1],
      ["BF16", 1800, 2],
    ],
  );
});

test("the named one, else the preferred one; a name that there is not lists those there are", () => {
  const variants = listVariants(files);
  assert.equal(chooseVariant("o/r", variants, undefined).quantization, "Q4_K_M");
  assert.equal(chooseVariant("o/r", variants, "q8_0").quantization, "Q8_0");
  assert.deepEqual(chooseVariant("o/r", variants, "BF16").files[0], "BF16/model-BF16-00001-of-00002.gguf");
  assert.throws(() => chooseVariant("o/r", variants, "Q2_K"), /o\/r has no Q2_K; choose one of Q4_K_M, Q8_0, BF16/);
  assert.equal(
    chooseVariant("o/r", listVariants([{ path: "a/plain.gguf", size: 1 }]), undefined).quantization,
    "a/plain",
  );
});

test("a file of a repository names its model; any part of one names all", () => {
  const variants = listVariants(files);
  assert.equal(variantOf("o/r", variants, "model-Q8_0.gguf").quantization, "Q8_0");
  assert.equal(variantOf("o/r", variants, "BF16/model-BF16-00002-of-00002.gguf").files.length, 2);
  assert.throws(() => variantOf("o/r", variants, "x.gguf"), /o\/r has no x\.gguf; choose one of model-Q4_K_M\.gguf, /);
  assert.throws(() => variantOf("o/r", [], "x.gguf"), /o\/r has no x\.gguf; it has no GGUF file/);
});
