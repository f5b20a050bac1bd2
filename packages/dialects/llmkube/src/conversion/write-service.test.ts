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

test("a file is the source of a Model, one of a repository part of its address, several a list", () => {
  const sourceOf = (service: Partial<PortableService>) => {
    const written = writeService({ ...plain, ...service });
    assert.equal(written.is, "written");
    return written.is === "written" ? written.objects[0]?.spec : undefined;
  };
  assert.deepEqual(sourceOf({}), { source: "file:///models/a b.gguf" });
  assert.deepEqual(sourceOf({ source: "hf://o/r@main", files: ["q/a.gguf"] }), { source: "hf://o/r/q/a.gguf@main" });
  assert.deepEqual(sourceOf({ source: "s3://bucket/a.gguf" }), { source: "s3://bucket/a.gguf" });
  assert.deepEqual(sourceOf({ source: "hf://o/r", files: ["a-1.gguf", "a-2.gguf"] }), {
    source: "hf://o/r",
    files: ["a-1.gguf", "a-2.gguf"],
  });
});

test("object storage of Oracle is refused with what to do", () => {
  const source = "oci://n/ns/b/models/o/a.gguf";
  const written = writeService({ ...plain, source });
  const why = `LLMKube does not download from ${source}`;
  assert.deepEqual(written, { is: "impossible", why, instead: ["ome"] });
});
