import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, test } from "node:test";
import type { AnyReconciler } from "@trivium/reconcile";
import { checkDecision, decisionOf, readCases, type SavedCase, type Vocabulary, violationsOf } from "@trivium/testkit";
import { cacheBudget } from "../src/cache-budget/reconciler.ts";
import { serviceReconciler } from "../src/inference-service/reconciler.ts";
import { adapterReconciler } from "../src/lora-adapter/reconciler.ts";
import { modelReconciler } from "../src/model/reconciler.ts";
import { defaultOptions, type LlmkubeOptions } from "../src/options.ts";
import { adapterVocabulary, budgetVocabulary, modelVocabulary, serviceVocabulary } from "../src/reasons.ts";
import { statusGuide } from "../src/status-guide.ts";

const options: LlmkubeOptions = { ...defaultOptions, localRoots: ["/mnt/models"] };
interface Kind {
  readonly folder: string;
  readonly reconciler: AnyReconciler;
  readonly words: Vocabulary;
}
const kinds: readonly Kind[] = [
  { folder: "model", reconciler: modelReconciler(options), words: modelVocabulary },
  { folder: "cache-budget", reconciler: cacheBudget(options), words: budgetVocabulary },
  { folder: "lora-adapter", reconciler: adapterReconciler(), words: adapterVocabulary },
  { folder: "inference-service", reconciler: serviceReconciler(options), words: serviceVocabulary },
];

for (const { folder, reconciler, words } of kinds) {
  describe(`cases of ${folder}`, () => {
    for (const saved of readCases(join(import.meta.dirname, "../src", folder, "cases"))) {
      test(saved.name, () => {
        const worldOf = (one: SavedCase) => ({ ...one, observed: withCurrentPods(reconciler, one) });
        checkDecision(saved, (one) => decisionOf(reconciler, worldOf(one)));
        assert.deepEqual(violationsOf(reconciler, [worldOf(saved)], words, statusGuide), []);
      });
    }
  });
}

/** Pods and Deployments whose template a case calls `current` have the one that is decided. */
function withCurrentPods(reconciler: AnyReconciler, saved: SavedCase): unknown {
  const text = JSON.stringify(saved.observed);
  if (!text.includes('"template":"current"')) return saved.observed;
  const template = JSON.stringify(decisionOf(reconciler, saved)).match(
    /"inference.llmkube.dev\/template":"(\w+)"/,
  )?.[1];
  assert.ok(template, "a pod can have the current template only where one is decided");
  return JSON.parse(text.replaceAll('"template":"current"', `"template":"${template}"`));
}
