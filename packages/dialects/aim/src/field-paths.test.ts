import assert from "node:assert/strict";
import { test } from "node:test";
import { servicePathsOf } from "./field-paths.ts";
import type { Service } from "./service/names/names.ts";

test("an image is corrected where the user wrote it: in the service, or in the model that it names", () => {
  const modelSources = [{ modelId: "org/tiny", sourceUri: "hf://org/tiny" }];
  const rows: readonly [Service["spec"]["model"], string][] = [
    [{ custom: { modelSources, baseImage: "example.com/nope:1" } } as never, "spec.model.custom.baseImage"],
    [{ image: "example.com/aim:1" }, "spec.model.image"],
    [{ name: "llama" }, "spec.image of the model"],
    [undefined, "spec.image of the model"],
  ];
  for (const [model, expected] of rows)
    assert.equal(servicePathsOf({ spec: { model } } as Pick<Service, "spec">).image, expected);
});
