import assert from "node:assert/strict";
import { test } from "node:test";
import type { InferenceService } from "../../kinds/inference-service.ts";
import { ignoredFields } from "./ignored-fields.ts";

type Requested = NonNullable<Parameters<typeof ignoredFields>[2]>;

const none = { adapters: [], faults: [] } as unknown as Requested["asked"];
const requested = {
  asked: none,
  promptCache: undefined,
  intent: { routes: [] },
  gpu: { is: "none" },
  engineLimits: [
    {
      field: "speculativeDecoding",
      types: ["mtp", "draft-mtp"],
      outcome: "refused",
      why: "not here; use another engine",
    },
    { field: "tensorOverrides", outcome: "ignored", why: "not here either" },
  ],
} as unknown as Requested;

const ignored = (spec: Partial<InferenceService["spec"]>): string[] =>
  ignoredFields({ spec: { modelRef: "m", ...spec } } as InferenceService, requested.gpu, requested);

test("fields that the engine of this machine lacks are named with the remedy", () => {
  const why = ["spec.speculativeDecoding: not here; use another engine"];
  assert.deepEqual(ignored({ speculativeDecoding: { type: "draft-mtp" } }), why);
  assert.deepEqual(ignored({ runtime: "llamacpp", speculativeDecoding: { type: "mtp", nDraftMax: 4 } }), why);
  assert.deepEqual(ignored({ tensorOverrides: ["exps=CPU"] }), ["spec.tensorOverrides: not here either"]);
});

test("what is turned off, or is another engine's, is not", () => {
  assert.deepEqual(ignored({}), []);
  assert.deepEqual(ignored({ speculativeDecoding: { type: "ngram-simple" } }), []);
  for (const type of ["none", "disabled"] as const) assert.deepEqual(ignored({ speculativeDecoding: { type } }), []);
  assert.deepEqual(ignored({ runtime: "vllm", speculativeDecoding: { type: "mtp" } }), [
    "spec.speculativeDecoding: runtime vllm does not support it",
  ]);
});
