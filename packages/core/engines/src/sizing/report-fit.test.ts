import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { MemoryFit } from "@trivium/domain";
import { type FitReport, findFit, reportFit, withoutFit } from "./report-fit.ts";

const gi = 1024 ** 3;
const terms = [{ what: "weights" as const, bytes: 2 * gi, how: "" }];
const share = { place: "host" as const, times: 1, terms, bytes: 2 * gi, available: gi };
const memoryFit = (fits: MemoryFit["fits"]): MemoryFit => ({ fits, shares: [share], bytes: 2 * gi, alternatives: [] });
const sum = "Needs 2.0Gi of memory, 1.0Gi available (weights 2.0Gi)";
const starting = { isBlocked: false, isServing: false };
const serving = { isBlocked: false, isServing: true };
const outcome = (found: FitReport | undefined) => found && [found.status, found.reason];

describe("the condition Fits follows what happens", () => {
  test("an estimate that exceeds the memory is False only where nothing starts because of it", () => {
    assert.deepEqual(outcome(reportFit(memoryFit("no"), { isBlocked: true, isServing: false })), [
      "False",
      "DoesNotFit",
    ]);
    assert.deepEqual(reportFit(memoryFit("no"), starting), {
      status: "Unknown",
      reason: "TightFit",
      message: `The estimated total exceeds the available memory. ${sum}; use a smaller model or more memory`,
    });
  });

  test("what no node can ever take does not fit, although it is created", () => {
    const impossible = "It requests 900.0Gi of memory, and the largest node offers 21.0Gi; request at most that";
    assert.deepEqual(reportFit({ ...memoryFit("no"), impossible }, starting), {
      status: "False",
      reason: "DoesNotFit",
      message: impossible,
    });
  });

  test("what serves fits, and keeps its sum", () => {
    assert.deepEqual(reportFit(memoryFit("no"), serving), {
      status: "True",
      reason: "Fits",
      message: `The model is loaded, and the engine serves, although the estimated total exceeds the available memory. ${sum}`,
    });
    assert.deepEqual(reportFit(memoryFit("yes"), serving), { status: "True", reason: "Fits", message: sum });
    assert.deepEqual(outcome(reportFit(memoryFit("partly"), serving)), ["True", "PartlyOnGPU"]);
    assert.deepEqual(outcome(reportFit(undefined, serving)), ["True", "Fits"]);
    assert.deepEqual(outcome(reportFit(memoryFit("unknown"), serving)), ["True", "Fits"]);
    const impossible: MemoryFit = {
      ...memoryFit("no"),
      shares: [],
      impossible: "2 devices are requested, but only 1 available",
    };
    assert.equal(reportFit(impossible, serving)?.message, "The model is loaded, and the engine serves");
  });

  test("without a sum, what was found for the same spec stands", () => {
    const before: FitReport = { status: "True", reason: "Fits", message: sum };
    const tight: FitReport = { status: "Unknown", reason: "TightFit", message: sum };
    assert.equal(reportFit(undefined, { ...starting, before }), before);
    assert.equal(reportFit(undefined, { ...serving, before }), before);
    assert.equal(reportFit(undefined, { ...starting, before: tight }), tight);
    assert.deepEqual(outcome(reportFit(undefined, { ...serving, before: tight })), ["True", "Fits"]);
    assert.equal(reportFit(undefined, starting), undefined);
  });

  test("what was found for an earlier spec does not", () => {
    const conditions = [{ type: "Fits", status: "True", reason: "Fits", message: sum, observedGeneration: 1 }];
    const service = (generation?: number) => ({ metadata: { generation }, status: { conditions } });
    assert.deepEqual(findFit(service(1)), { status: "True", reason: "Fits", message: sum });
    assert.equal(findFit(service(2)), undefined);
    assert.equal(findFit(service()), undefined);
    assert.equal(findFit({ metadata: { generation: 1 } }), undefined);
  });
});

test("without its report an object is sized again; one without a report stays the same object", () => {
  const fits = { type: "Fits", status: "True", observedGeneration: 2 };
  const object = { metadata: { generation: 2 }, status: { conditions: [fits, { type: "Ready", status: "True" }] } };
  assert.deepEqual(withoutFit(object).status.conditions, [{ type: "Ready", status: "True" }]);
  const unsized = { ...object, metadata: { generation: 3 } };
  assert.equal(withoutFit(unsized), unsized);
});
