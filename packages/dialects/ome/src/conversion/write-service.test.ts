import assert from "node:assert/strict";
import { test } from "node:test";
import type { PortableService } from "@trivium/domain";
import { writeService } from "./write-service.ts";

const plain: PortableService = {
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

test("web addresses are refused with what can download them", () => {
  const written = writeService({ ...plain, source: "https://x/a.gguf" });
  assert.deepEqual(written, {
    is: "impossible",
    why: "OME does not download from web addresses",
    instead: ["llmkube"],
  });
});

test("one file of a repository is served from the whole of it, and that is reported", () => {
  const written = writeService({ ...plain, source: "hf://o/r", files: ["a.gguf"] });
  assert.equal(written.is, "written");
  if (written.is !== "written") return;
  assert.equal(written.fields.files?.differs, "OME downloads whole repositories, and this one can have several models");
  assert.ok(JSON.stringify(written.objects[1]).includes('"--model","$(MODEL_PATH)/a.gguf"'));
  const whole = writeService({ ...plain, source: "hf://o/r", files: ["a.gguf"], isWhole: true });
  assert.ok(whole.is === "written" && whole.fields.files?.differs === undefined, "the only model of its repository");
});
