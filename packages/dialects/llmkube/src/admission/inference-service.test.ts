import assert from "node:assert/strict";
import { test } from "node:test";
import type { InferenceService } from "../kinds/inference-service.ts";
import type { EngineLimit } from "../options.ts";
import { serviceAdmission } from "./inference-service.ts";

const limits: readonly EngineLimit[] = [
  { field: "speculativeDecoding", types: ["mtp"], outcome: "refused", why: "use another type" },
  { field: "tensorOverrides", outcome: "ignored", why: "no place for it" },
];
const admission = serviceAdmission(limits);
const service = (spec: Partial<InferenceService["spec"]>): InferenceService =>
  ({ metadata: { name: "chat" }, spec: { modelRef: "m", ...spec } }) as InferenceService;
const mtp = service({ speculativeDecoding: { type: "mtp" } });
const refusals = (object: InferenceService, old?: InferenceService): string[] =>
  admission
    .judge({ verb: old === undefined ? "create" : "update", object, old }, null)
    .faults.map(({ field, detail }) => `${field}: ${detail}`);

test("what the engine lacks is refused with the remedy", () => {
  assert.deepEqual(refusals(mtp), ["spec.speculativeDecoding.type: use another type"]);
  assert.deepEqual(refusals(mtp, service({})), ["spec.speculativeDecoding.type: use another type"]);
});

test("what it has, what only has no effect, and what was stored before is not", () => {
  assert.deepEqual(refusals(service({ speculativeDecoding: { type: "ngram-simple" } })), []);
  assert.deepEqual(refusals(service({ tensorOverrides: ["exps=CPU"] })), []);
  assert.deepEqual(refusals({ ...mtp, spec: { ...mtp.spec, replicas: 2 } }, mtp), []);
});
