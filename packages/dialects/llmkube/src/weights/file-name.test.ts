import assert from "node:assert/strict";
import { test } from "node:test";
import { cacheKeyOf } from "./cache-key.ts";
import { fileNameOf, sanitize } from "./file-name.ts";

test("names are made safe for paths", () => {
  const table = {
    "Llama 3.1/Instruct": "Llama-3.1-Instruct",
    "Qwen3:30B": "Qwen3-30B",
    café: "caf",
    "Q4_K_M / Llama-3.1 (8B)": "Q4_K_M-Llama-3.1-8B",
    "..": "",
    ".hidden": "hidden",
    "a/-/b": "a-b",
    "": "",
  };
  for (const [input, output] of Object.entries(table)) assert.equal(sanitize(input), output);
  assert.equal(sanitize("x".repeat(300)).length, 200);
});

test("a file is named by its header, else by its source, else by the Model", () => {
  const source = "https://h/d/Tiny%20Q4.gguf?download=true";
  assert.equal(fileNameOf({ header: "Tiny Test", source, model: "m" }), "Tiny-Test.gguf");
  assert.equal(fileNameOf({ header: undefined, source, model: "m" }), "Tiny-20Q4.gguf");
  assert.equal(fileNameOf({ header: "..", source: "hf://o/..", model: "m" }), "m.gguf");
  assert.equal(fileNameOf({ header: "", source: "/", model: "--" }), "model.gguf");
});

test("cache keys are the first 16 digits of the digest of the source", () => {
  const table = {
    "": "e3b0c44298fc1c14",
    "https://example.com/model.gguf": "8cc5f1f83d631cc0",
    "https://huggingface.co/TheBloke/TinyLlama-1.1B-Chat-v1.0-GGUF/resolve/main/tinyllama-1.1b-chat-v1.0.Q4_K_M.gguf":
      "ffd7696959984b4f",
    "file:///mnt/models/model.gguf": "83ba4c8d6adc390b",
    "/mnt/models/model.gguf": "be4b86615bb54771",
    "pvc://my-models-pvc/path/to/model.gguf": "085a1072c1430b9e",
    "hf://org/repo": "1f20013f4e0ce003",
    "hf://org/repo@main": "7ad231a0b8405e78",
    "org/repo": "57b681c5cf8efdc2",
  };
  for (const [source, key] of Object.entries(table)) assert.equal(cacheKeyOf({ source }), key);
});
