import assert from "node:assert/strict";
import { test } from "node:test";
import type { PortableService, WrittenService } from "@trivium/domain";
import { writeService } from "./write-service.ts";

interface WrittenSpec {
  readonly model: { readonly custom: { readonly modelSources: readonly { readonly sourceUri: string }[] } };
}

const sourcesOf = (written: WrittenService) =>
  written.is === "written"
    ? ((written.objects[0]?.spec as WrittenSpec | undefined)?.model.custom.modelSources ?? [])
    : [];

const plain: PortableService = {
  name: "m",
  namespace: "default",
  source: "file:///models/a b.gguf",
  files: [],
  labels: { "trivium.dev/run": "m" },
};

test("an AIMService with a custom model", () => {
  const written = writeService({ ...plain, source: "hf://o/r", files: ["a.gguf"] });
  assert.equal(written.is, "written");
  if (written.is !== "written") return;
  assert.deepEqual(
    written.objects.map(({ kind }) => kind),
    ["AIMService"],
  );
  assert.deepEqual(sourcesOf(written), [{ modelId: "custom/m", sourceUri: "hf://o/r/a.gguf" }]);
});

test("names of files with spaces are written as this API accepts them", () => {
  const uriOf = (service: Partial<PortableService>) => sourcesOf(writeService({ ...plain, ...service }))[0]?.sourceUri;
  assert.equal(uriOf({}), "file:///models/a%20b.gguf");
  assert.equal(uriOf({ source: "file:///models/a b%25.gguf" }), "file:///models/a%20b%25.gguf");
  assert.equal(uriOf({ source: "hf://o/r", files: ["x y%.gguf"] }), "hf://o/r/x%20y%25.gguf");
});

test("what AIM cannot say is refused with what to do", () => {
  const whyOf = (service: Partial<PortableService>) => {
    const written = writeService({ ...plain, ...service });
    return written.is === "impossible" ? `${written.why} (${written.instead})` : "";
  };
  assert.equal(whyOf({ source: "s3://bucket/a b.gguf" }), "AIM accepts no spaces in s3://bucket/a b.gguf (llmkube)");
  assert.match(whyOf({ source: "https://x/a.gguf" }), /\(llmkube\)/);
  assert.match(whyOf({ source: "hf://o/r", files: ["a.gguf", "b.gguf"] }), /\(llmkube\)/);
});
