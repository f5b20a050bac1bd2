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
  engineLimits: { speculativeDecoding: "not here; use another engine" },
} as unknown as Requested;

const ignored = (spec: Partial<InferenceService["spec"]>): string[] =>
  ignoredFields({ spec: { modelRef: "m", ...spec } } as InferenceService, requested.gpu, requested);

test("fields that the engine of this machine lacks are named with the remedy", () => {
  const why = ["spec.speculativeDecoding: not here; use another engine"];
  assert.deepEqual(ignored({ speculativeDecoding: { type: "ngram-simple" } }), why);
  assert.deepEqual(ignored({ runtime: "llamacpp", speculativeDecoding: { type: "mtp", nDraftMax: 4 } }), why);
});

test("what is turned off, or is another engine's, is not", () => {
  assert.deepEqual(ignored({}), []);
  for (const type of ["none", "disabled"] as const) assert.deepEqual(ignored({ speculativeDecoding: { type } }), []);
  assert.deepEqual(ignored({ runtime: "vllm", speculativeDecoding: { type: "mtp" } }), [
    "spec.speculativeDecoding: runtime vllm does not support it",
  ]);
});
