import assert from "node:assert/strict";
import { test } from "node:test";
import { known } from "@trivium/std";
import type { Model } from "../kinds/model.ts";
import { chooseFiles, nameFiles } from "./repository-choice.ts";

const model = (spec: Partial<Model["spec"]> = {}): Model =>
  ({ apiVersion: "", kind: "Model", metadata: {}, spec: { source: "org/repo", ...spec } }) as Model;
const listing = (...files: string[]) => known({ files: files.map((path) => ({ path })) });
const chosen = (spec: Partial<Model["spec"]>, ...files: string[]) => chooseFiles(model(spec), listing(...files));

test("the one GGUF file of a repository is taken; projectors and draft heads are no candidates", () => {
  assert.deepEqual(chosen({}, "README.md", "m.gguf", "mmproj-m.gguf", "mtp-m.gguf"), {
    is: "files",
    files: { is: "staged", files: ["m.gguf"], primary: "m.gguf" },
  });
});

test("a split model is one candidate, and all its parts are staged", () => {
  const parts = ["m-00001-of-00002.gguf", "m-00002-of-00002.gguf"];
  const choice = chosen({}, ...parts);
  assert.deepEqual(choice.is === "files" && choice.files.is === "staged" && choice.files.files, parts);
});

test("of several files the quantization chooses, where one carries it; else they are all named", () => {
  const files = ["m-Q4_K_M.gguf", "m-Q8_0.gguf"];
  const choice = chosen({ quantization: "q8_0" }, ...files);
  assert.equal(choice.is === "files" && choice.files.is === "staged" && choice.files.primary, "m-Q8_0.gguf");
  assert.deepEqual(chosen({ quantization: "Q5_K_M" }, ...files), { is: "several", candidates: files });
  assert.deepEqual(chosen({}, ...files), { is: "several", candidates: files });
});

test("a file that is written and not in the repository is missing, with those that are", () => {
  assert.deepEqual(chosen({ files: ["m-Q9.gguf"] }, "m-Q4_0.gguf", "config.json"), {
    is: "missing",
    file: "m-Q9.gguf",
    candidates: ["m-Q4_0.gguf"],
  });
});

test("without a list, or without GGUF files, what is written stands", () => {
  const none = { is: "files", files: { is: "none" } };
  assert.deepEqual(chosen({}, "model.safetensors"), none);
  assert.deepEqual(chooseFiles(model(), { is: "unreachable", why: "down" }), none);
  assert.deepEqual(chooseFiles(model(), known({ refused: "not-found", why: "no such repository" })), none);
});

test("a long list of names is cut", () => {
  assert.equal(nameFiles(Array.from({ length: 10 }, (_, i) => `${i}`)), "0, 1, 2, 3, 4, 5, 6, 7 and 2 more");
});
