import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, test } from "node:test";
import type { AnyReconciler } from "@trivium/reconcile";
import { checkDecision, decisionOf, readCases, type SavedCase, type Vocabulary, violationsOf } from "@trivium/testkit";
import { AIMRuntimeConfig } from "../src/kinds/runtime-config.ts";
import { modelScopes } from "../src/model/names/scopes.ts";
import { modelReconciler } from "../src/model/reconciler.ts";
import { modelSourceReconciler } from "../src/model-source/reconciler.ts";
import { defaultOptions } from "../src/options.ts";
import {
  modelSourceVocabulary,
  modelVocabulary,
  runtimeConfigVocabulary,
  templateVocabulary,
} from "../src/reasons/catalog.ts";
import { runtimeConfigReconciler } from "../src/runtime-config/reconciler.ts";
import { statusGuide } from "../src/status-guide.ts";
import { templateReconciler, templateScopes } from "../src/template/reconciler.ts";
import { contradictionsOf } from "./contradictions.ts";

interface Kind {
  readonly folder: string;
  readonly reconcilers: readonly AnyReconciler[];
  readonly words: Vocabulary;
}
const kinds: readonly Kind[] = [
  {
    folder: "runtime-config",
    reconcilers: [runtimeConfigReconciler("aim.runtime-config", AIMRuntimeConfig)],
    words: runtimeConfigVocabulary,
  },
  {
    folder: "model",
    reconcilers: modelScopes.map((scope) => modelReconciler(scope, defaultOptions)),
    words: modelVocabulary,
  },
  {
    folder: "template",
    reconcilers: templateScopes.map((scope) => templateReconciler(scope, defaultOptions)),
    words: templateVocabulary,
  },
  { folder: "model-source", reconcilers: [modelSourceReconciler(defaultOptions)], words: modelSourceVocabulary },
];

for (const { folder, reconcilers, words } of kinds) {
  const reconcilerOf = ({ object }: SavedCase): AnyReconciler =>
    reconcilers.find(({ kind }) => kind.kind === object.kind) ??
    assert.fail(`no reconciler decides about ${object.kind}`);
  describe(`cases of ${folder}`, () => {
    for (const saved of readCases(join(import.meta.dirname, "../src", folder, "cases"))) {
      test(saved.name, () => {
        const decision = checkDecision(saved, (one) => decisionOf(reconcilerOf(one), one));
        assert.deepEqual(violationsOf(reconcilerOf(saved), [saved], words, statusGuide), []);
        assert.deepEqual(contradictionsOf(saved.object, decision), []);
      });
    }
  });
}
