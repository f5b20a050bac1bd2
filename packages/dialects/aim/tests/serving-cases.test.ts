import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import type { AnyReconciler } from "@trivium/reconcile";
import { checkDecision, decisionOf, readCases, type Vocabulary, violationsOf } from "@trivium/testkit";
import { kvCacheReconciler } from "../src/kv-cache/reconciler.ts";
import { modelCacheReconciler } from "../src/model-cache/reconciler.ts";
import { defaultOptions } from "../src/options.ts";
import {
  kvCacheVocabulary,
  modelCacheVocabulary,
  serviceVocabulary,
  templateCacheVocabulary,
} from "../src/reasons/serving.ts";
import { serviceReconciler } from "../src/service/reconciler.ts";
import { statusGuide } from "../src/status-guide.ts";
import { templateCacheReconciler } from "../src/template-cache/reconciler.ts";
import { contradictionsOf } from "./contradictions.ts";

interface Kind {
  readonly folder: string;
  readonly reconciler: AnyReconciler;
  readonly words: Vocabulary;
}
const kinds: readonly Kind[] = [
  { folder: "service", reconciler: serviceReconciler(defaultOptions), words: serviceVocabulary },
  { folder: "model-cache", reconciler: modelCacheReconciler(defaultOptions), words: modelCacheVocabulary },
  { folder: "template-cache", reconciler: templateCacheReconciler(), words: templateCacheVocabulary },
  { folder: "kv-cache", reconciler: kvCacheReconciler(), words: kvCacheVocabulary },
];

for (const { folder, reconciler, words } of kinds) {
  describe(`cases of ${folder}`, () => {
    const cases = join(import.meta.dirname, "../src", folder, "cases");
    assert.ok(existsSync(cases));
    for (const saved of readCases(cases)) {
      test(saved.name, () => {
        const decision = checkDecision(saved, (one) => decisionOf(reconciler, one));
        assert.deepEqual(violationsOf(reconciler, [saved], words, statusGuide), []);
        assert.deepEqual(contradictionsOf(saved.object, decision), []);
      });
    }
  });
}
