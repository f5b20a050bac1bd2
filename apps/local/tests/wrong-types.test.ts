import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { AIMService } from "@trivium/aim";
import { type Api, builtInResources, createApi, openMemoryStore } from "@trivium/apiserver";
import { createClient } from "@trivium/client";
import { ApiError, apiVersionOf, type DefinedKind, type KubeClient } from "@trivium/kube";
import { Model } from "@trivium/llmkube";
import { BenchmarkJob } from "@trivium/ome";
import type { Json, JsonObject } from "@trivium/std";
import { dialectDefinitions } from "../src/definitions.ts";
import { installDefinitions } from "../src/install.ts";
import { withValueAt, wrongTypesOf } from "./wrong-types.ts";

const storage = { storageUri: "hf://org/model" };
const examples: readonly (readonly [DefinedKind, JsonObject])[] = [
  [AIMService, { model: { ref: "m" } }],
  [
    BenchmarkJob,
    {
      endpoint: { endpoint: { url: "http://h", apiFormat: "openai" } },
      task: "text-to-text",
      maxTimePerIteration: 1,
      maxRequestsPerIteration: 1,
      outputLocation: storage,
    },
  ],
  [Model, { source: "org/repo" }],
];

let api: Api;
let client: KubeClient;
before(async () => {
  api = createApi({ store: openMemoryStore(), resources: builtInResources() });
  client = createClient(api.transport({ user: "test", groups: ["system:masters"] }));
  await installDefinitions(client, dialectDefinitions());
});
after(() => api.close());

for (const [kind, spec] of examples) {
  const good = { apiVersion: apiVersionOf(kind), kind: kind.kind, metadata: { name: "x", namespace: "default" }, spec };
  const specSchema = kind.schema.properties?.spec ?? {};
  const faults = wrongTypesOf(specSchema, ["spec"]);

  test(`${kind.kind}: a wrong type in any of its ${faults.length} fields is refused, with the field named`, async () => {
    assert.ok(faults.length > 30);
    const unnamed: string[] = [];
    for (const { field, steps, value } of faults) {
      const error = await client.create(kind, withValueAt(good, steps, value) as never).then(
        () => undefined,
        (reason: unknown) => reason,
      );
      const causes = error instanceof ApiError && error.code === 422 ? error.status.details?.causes : undefined;
      if (!causes?.some((cause) => cause.field === field)) unnamed.push(`${field}: ${describe(error)}`);
    }
    assert.deepEqual(unnamed, []);
    const { items } = await client.list(kind, { namespace: "default" });
    assert.deepEqual(items, [], "nothing wrong was stored");
    await client.create(kind, good as never);
  });
}

function describe(error: unknown): Json {
  if (error === undefined) return "was taken";
  return error instanceof ApiError ? JSON.stringify(error.status) : String(error);
}
