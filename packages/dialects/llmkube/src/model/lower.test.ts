import assert from "node:assert/strict";
import { test } from "node:test";
import type { Model } from "../kinds/model.ts";
import { defaultOptions, type LlmkubeOptions } from "../options.ts";
import { lowerModel } from "./lower.ts";
import type { ObservedModel } from "./observe.ts";

const model = {
  metadata: { name: "m", namespace: "n" },
  spec: { source: "file:///data/a.gguf", format: "gguf" },
} as Model;
const observed = {
  file: { is: "known", value: { is: "file", bytes: 7, version: "mtime:1", at: 0 } },
  fetches: [],
} as unknown as ObservedModel;

const messageWith = (localFiles: LlmkubeOptions["localFiles"]): string | undefined => {
  const lowered = lowerModel(model, observed, { ...defaultOptions, localRoots: ["/data"], localFiles });
  return lowered.is === "intended" ? lowered.resolved?.message : undefined;
};

test("the message about a local file states what pods do with it", () => {
  assert.equal(messageWith("copied"), "File /data/a.gguf found; each pod copies it");
  assert.equal(messageWith("read in place"), "File /data/a.gguf found; pods read it in place");
});
