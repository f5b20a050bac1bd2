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

test("an AIMService with a custom model", () => {
  const written = writeService({ ...plain, source: "hf://o/r", files: ["a.gguf"] });
  assert.equal(written.is, "written");
  if (written.is !== "written") return;
  assert.deepEqual(
    written.objects.map(({ kind }) => kind),
    ["AIMService"],
  );
  const spec = written.objects[0]?.spec as { model: { custom: { modelSources: unknown } } } | undefined;
  assert.deepEqual(spec?.model.custom.modelSources, [{ modelId: "custom/m", sourceUri: "hf://o/r/a.gguf" }]);
});

test("what AIM cannot say is refused with what to do", () => {
  const whyOf = (service: Partial<PortableService>) => {
    const written = writeService({ ...plain, ...service });
    return written.is === "impossible" ? `${written.why} (${written.instead})` : "";
  };
  assert.equal(whyOf({}), "AIM accepts no spaces in file:///models/a b.gguf (llmkube)");
  assert.match(whyOf({ source: "https://x/a.gguf" }), /\(llmkube\)/);
  assert.match(whyOf({ source: "hf://o/r", files: ["a.gguf", "b.gguf"] }), /\(llmkube\)/);
});
