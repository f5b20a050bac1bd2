import assert from "node:assert/strict";
import { test } from "node:test";
import { faultsOfDnsSubdomain } from "@trivium/std";
import fc from "fast-check";
import { parseImageLabels } from "./image-metadata.ts";
import { autoModelName, autoTemplateName } from "./names.ts";
import { parseDeployments } from "./recommended-deployments.ts";

test("names of models and templates are those of the documents", () => {
  assert.equal(autoModelName("registry.acme.io/aim/foo-8b:1.4.2"), "foo-8b-1-4-2-d007a80b");
  assert.equal(autoModelName("foo"), "foo-latest-2c26b46b");
  const digest = "0123456789abcdef".repeat(4);
  assert.equal(autoModelName(`acme/foo@sha256:${digest}`), "foo-012345-953f8c74");
  const named = (traits: Parameters<typeof autoTemplateName>[1]) => autoTemplateName("foo-8b", traits);
  assert.equal(
    named({ gpuModel: "MI300X", gpuCount: 1, metric: "latency", precision: "fp8" }),
    "foo-8b-1x-mi300x-lat-fp8-d46c",
  );
  assert.equal(
    named({ gpuModel: "MI325X", gpuCount: 4, metric: "throughput", precision: "fp16" }),
    "foo-8b-4x-mi325x-thr-fp16-bd7e",
  );
  assert.equal(named({ gpuModel: "MI300X" }), "foo-8b-mi300x-c7bd");
  assert.equal(named({ gpuCount: 2 }), "foo-8b-x2-ccd3");
  assert.notEqual(named({ gpuModel: "MI300X", profileId: "a" }), named({ gpuModel: "MI300X", profileId: "b" }));
});

test("names are valid for any input", () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 300 }), fc.string({ maxLength: 90 }), (image, gpuModel) => {
      const template = autoTemplateName("m", { gpuModel, metric: gpuModel, precision: image });
      assert.ok(template.length <= 63, template);
      for (const name of [autoModelName(image), template]) assert.deepEqual(faultsOfDnsSubdomain(name), [], name);
    }),
  );
});

const one = { gpuModel: "MI300X", gpuCount: 1, precision: "fp8", metric: "latency" };

test("recommended deployments are read in the form that publishers use", () => {
  const json = JSON.stringify(one);
  for (const label of [
    `[${json}]`,
    json,
    ` ${json} , ${json} `.split(" , ")[0] ?? "",
    `[${json}]`.replaceAll('"', "'"),
  ])
    assert.deepEqual(parseDeployments(label), [one], label);
  assert.deepEqual(parseDeployments(`${json},${json}`), [one, one]);
  assert.deepEqual(parseDeployments("[]"), []);
  assert.deepEqual(parseDeployments('[{"gpuModel":7,"gpuCount":"2","metric":"","extra":{}}]'), [{ gpuCount: 2 }]);
  assert.deepEqual(parseDeployments('[{"gpuCount":-1},{"gpuCount":1.5},{"gpuCount":1e9}]'), [{}, {}, {}]);
  assert.equal(parseDeployments(`[${"{},".repeat(999)}{}]`)?.length, 256);
  for (const bad of ["nonsense", "[", "[1]", '"x"', "null", "[[]]", "{'a':"])
    assert.equal(parseDeployments(bad), undefined, bad);
});

test("labels of both prefixes, the newer first, and of the standard", () => {
  const labels = {
    "com.amd.aim.model.canonicalName": "acme/Foo-8B",
    "org.amd.silogen.model.canonicalName": "old/name",
    "org.amd.silogen.model.source": "https://huggingface.co/acme/Foo-8B",
    "org.amd.silogen.model.tags": " a, b ,,c",
    "org.amd.silogen.hfToken.required": "TRUE",
    "org.amd.silogen.title": "Foo",
    "org.amd.silogen.description.full": "A model",
    "org.amd.silogen.release.notes": "First",
    "com.amd.aim.model.deployments": JSON.stringify([one]),
    "org.opencontainers.image.version": "1.0",
    "org.opencontainers.image.title": "",
  };
  assert.deepEqual(parseImageLabels(labels), {
    is: "read",
    metadata: {
      model: {
        canonicalName: "acme/Foo-8B",
        source: "https://huggingface.co/acme/Foo-8B",
        tags: ["a", "b", "c"],
        hfTokenRequired: true,
        title: "Foo",
        descriptionFull: "A model",
        releaseNotes: "First",
        recommendedDeployments: [one],
      },
      oci: { version: "1.0" },
      originalLabels: labels,
    },
  });
});

test("the newer name of the list takes precedence, an invalid list is reported, and no labels give no metadata", () => {
  const both = { "org.amd.silogen.model.recommendedDeployments": "[]", "com.amd.aim.model.deployments": "[{}]" };
  assert.deepEqual(parseImageLabels(both).metadata.model, undefined);
  const bad = parseImageLabels({ "com.amd.aim.model.recommendedDeployments": "{not json", "com.amd.aim.title": "T" });
  assert.equal(bad.is, "malformed");
  assert.equal(bad.metadata.model?.title, "T");
  assert.deepEqual(parseImageLabels({}), { is: "read", metadata: {} });
  assert.deepEqual(parseImageLabels({ "com.amd.aim.hfToken.required": "perhaps" }).metadata.model, undefined);
});

test("labels with any text are read safely", () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 500 }), (value) => {
      parseImageLabels({ "com.amd.aim.model.recommendedDeployments": value, "com.amd.aim.model.tags": value });
    }),
  );
});
