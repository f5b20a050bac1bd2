import assert from "node:assert/strict";
import { test } from "node:test";
import { absent, known } from "@trivium/std";
import { labels } from "../../labels.ts";
import type { Model } from "../../objects.ts";
import { defaultOptions } from "../../options.ts";
import type { Service } from "../names/names.ts";
import { observeModels } from "./observe-models.ts";
import type { ServiceReader } from "./reads.ts";

const modelSources = [{ modelId: "org/weights", sourceUri: "s3://models/weights" }];
const hardware = { cpu: { requests: "1" } };

const service = (custom: object = {}, uses = "weights-before"): Service =>
  ({
    metadata: { name: "chat", namespace: "team" },
    spec: { model: { custom: { modelSources, hardware, ...custom } } },
    status: { resolvedModel: { kind: "AIMModel", name: uses, namespace: "team", scope: "Namespace" } },
  }) as never;

/** A model that was created for services while the operator had another default image. */
const model = (spec: object = {}, ours: object = {}): Model =>
  ({
    apiVersion: "aim.silogen.ai/v1alpha1",
    kind: "AIMModel",
    metadata: {
      name: "weights-before",
      namespace: "team",
      uid: "1",
      labels: { [labels.customModel]: "true", [labels.autoCreated]: "true", ...ours },
    },
    spec: { image: "registry.example/base:1", modelSources, custom: { hardware }, ...spec },
  }) as never;

const namesFor = (asked: Service, existing: Model): string[] => {
  const get = (_: unknown, { name }: { name: string }) => (name === existing.metadata.name ? known(existing) : absent);
  const options = { ...defaultOptions, baseImage: "registry.example/base:2" };
  const found = observeModels(asked, { get } as unknown as ServiceReader, options);
  assert.ok(found.is === "known");
  return found.value.map(({ name }) => name);
};

test("a service with weights of its own keeps its model when the operator's default image changes", () => {
  assert.deepEqual(namesFor(service(), model()), ["weights-before"]);
});

test("other weights, other hardware, an image of its own or a model of somebody else are another model", () => {
  const other = [{ modelId: "org/weights", sourceUri: "s3://models/other" }];
  assert.deepEqual(namesFor(service({ modelSources: other }), model()), []);
  assert.deepEqual(namesFor(service({ hardware: { cpu: { requests: "2" } } }), model()), []);
  assert.deepEqual(namesFor(service({ baseImage: "registry.example/own:1" }), model()), []);
  assert.deepEqual(namesFor(service(), model({}, { [labels.autoCreated]: "false" })), []);
  assert.deepEqual(namesFor(service({}, "unknown"), model()), []);
});
