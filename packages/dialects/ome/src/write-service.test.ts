import assert from "node:assert/strict";
import { test } from "node:test";
import type { SimpleService } from "@trivium/domain";
import { writeService } from "./write-service.ts";

const plain: SimpleService = {
  name: "m",
  namespace: "default",
  source: "file:///models/a b.gguf",
  files: [],
  labels: { "trivium.dev/run": "m" },
};

test("a BaseModel, a ServingRuntime and an InferenceService", () => {
  const written = writeService({ ...plain, contextTokens: 2048 });
  assert.equal(written.is, "written");
  if (written.is !== "written") return;
  assert.deepEqual(
    written.objects.map(({ kind }) => kind),
    ["BaseModel", "ServingRuntime", "InferenceService"],
  );
  assert.deepEqual(written.objects[0]?.spec, { storage: { storageUri: "local:///models/a b.gguf" } });
  assert.ok(JSON.stringify(written.objects[1]).includes('"--ctx-size","2048"'));
});

test("what OME cannot say is refused with what to do", () => {
  const whyOf = (service: Partial<SimpleService>) => {
    const written = writeService({ ...plain, ...service });
    return written.is === "impossible" ? written.why : "";
  };
  assert.match(whyOf({ source: "https://x/a.gguf" }), /use --as llmkube/);
  assert.match(whyOf({ source: "hf://o/r", files: ["a"] }), /use --as llmkube/);
});
