import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, test } from "node:test";
import { checkDecision, decisionOf, readCases, violationsOf } from "@trivium/testkit";
import { benchmarkReconciler } from "../src/benchmark-job/reconciler.ts";
import { benchmarkVocabulary } from "../src/benchmark-job/status/reasons.ts";
import { defaultOptions } from "../src/options.ts";
import { statusGuide } from "../src/status-guide.ts";

const reconciler = benchmarkReconciler(defaultOptions);

describe("cases of benchmark-job", () => {
  for (const saved of readCases(join(import.meta.dirname, "../src/benchmark-job/cases"))) {
    test(saved.name, () => {
      checkDecision(saved, (one) => decisionOf(reconciler as never, one));
      assert.deepEqual(violationsOf(reconciler as never, [saved], benchmarkVocabulary, statusGuide), []);
    });
  }
});
