import assert from "node:assert/strict";
import { test } from "node:test";
import { cacheKey, fixedLayouts } from "./layouts.ts";

const source = "org/repo";

test("cache keys are those of the documents", () => {
  const vectors: [string, string][] = [
    ["", "e3b0c44298fc1c14"],
    ["https://example.com/model.gguf", "8cc5f1f83d631cc0"],
    [
      "https://huggingface.co/TheBloke/TinyLlama-1.1B-Chat-v1.0-GGUF/resolve/main/tinyllama-1.1b-chat-v1.0.Q4_K_M.gguf",
      "ffd7696959984b4f",
    ],
    ["file:///mnt/models/model.gguf", "83ba4c8d6adc390b"],
    ["/mnt/models/model.gguf", "be4b86615bb54771"],
    ["pvc://my-models-pvc/path/to/model.gguf", "085a1072c1430b9e"],
    ["hf://org/repo", "1f20013f4e0ce003"],
    ["hf://org/repo@main", "7ad231a0b8405e78"],
    ["org/repo", "57b681c5cf8efdc2"],
  ];
  for (const [source, key] of vectors) assert.equal(cacheKey(source), key, source);
});

test("each layout puts a model where its readers look", () => {
  const { plain, llmkube, aim, ome } = fixedLayouts;
  assert.equal(plain.directory({ at: "/x", source }), "/x");
  assert.equal(llmkube.directory({ at: "/models", source: "org/repo" }), "/models/57b681c5cf8efdc2");
  const root = "/workspace/model-cache";
  const id = { at: root, source: "hf://acme/Foo-8B-FP8", modelId: "acme/Foo-8B-FP8" };
  assert.equal(aim.directory(id), "/workspace/model-cache/acme/Foo-8B-FP8");
  assert.equal(ome.directory({ at: "/mnt/data/models/llama-3/", source }), "/mnt/data/models/llama-3");
});

test("a layout never leads out of its cache", () => {
  const { aim, ome } = fixedLayouts;
  for (const modelId of ["../x", "/etc", "a//b", undefined])
    assert.throws(() => aim.directory({ at: "/c", source: "s", ...(modelId === undefined ? {} : { modelId }) }), {
      kind: "refused",
    });
  for (const at of ["models/x", "/mnt/../etc"]) assert.throws(() => ome.directory({ at, source }), { kind: "refused" });
});
