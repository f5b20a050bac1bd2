import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, test } from "node:test";
import type { AnyReconciler } from "@trivium/reconcile";
import { decisionOf, readCases, saveDecision, type Vocabulary, violationsOf } from "@trivium/testkit";
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
  describe(`cases of ${folder}`, () => {
    for (const saved of readCases(join(import.meta.dirname, "../src", folder, "cases"))) {
      test(saved.name, () => {
        const reconciler = reconcilers.find(({ kind }) => kind.kind === saved.object.kind);
        assert.ok(reconciler, `nobody decides about ${saved.object.kind}`);
        const decision = decisionOf(reconciler, saved);
        if (process.env.UPDATE_CASES !== undefined) saveDecision(saved, decision);
        else assert.deepEqual(decision, saved.decision);
        assert.deepEqual(violationsOf(reconciler, [saved], words), []);
        assert.deepEqual(contradictionsOf(saved.object, decision), []);
      });
    }
  });
}
