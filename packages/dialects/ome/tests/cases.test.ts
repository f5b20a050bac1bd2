import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, test } from "node:test";
import type { AnyReconciler } from "@trivium/reconcile";
import { checkDecision, decisionOf, readCases, type Vocabulary, violationsOf } from "@trivium/testkit";
import { classReconciler } from "../src/accelerator-class/reconciler.ts";
import { weightReconciler } from "../src/fine-tuned-weight/reconciler.ts";
import { serviceReconciler } from "../src/inference-service/reconciler.ts";
import { baseModelReconciler, clusterModelReconciler } from "../src/model/reconciler.ts";
import { defaultOptions, type OmeOptions } from "../src/options.ts";
import { classVocabulary, modelVocabulary, serviceVocabulary } from "../src/reasons.ts";
import { statusGuide } from "../src/status-guide.ts";

const routed: OmeOptions = {
  ...defaultOptions,
  ingress: {
    ...defaultOptions.ingress,
    creation: "on",
    api: "gateway",
    gateway: "ome/ome-gateway",
    domain: "example.com",
    scheme: "https",
  },
};
interface Kind {
  readonly folder: string;
  readonly words: Vocabulary;
  reconcilerOf(object: { kind: string; metadata: { name?: string } }): AnyReconciler;
}
const kinds: readonly Kind[] = [
  {
    folder: "model",
    words: modelVocabulary,
    reconcilerOf: ({ kind }) =>
      kind === "BaseModel" ? baseModelReconciler(defaultOptions) : clusterModelReconciler(defaultOptions),
  },
  { folder: "accelerator-class", words: classVocabulary, reconcilerOf: () => classReconciler() },
  { folder: "fine-tuned-weight", words: modelVocabulary, reconcilerOf: () => weightReconciler(defaultOptions) },
  {
    folder: "inference-service",
    words: serviceVocabulary,
    // Services that are called so stand behind a Gateway.
    reconcilerOf: ({ metadata }) => serviceReconciler(metadata.name === "routed" ? routed : defaultOptions),
  },
];

for (const { folder, words, reconcilerOf } of kinds) {
  describe(`cases of ${folder}`, () => {
    for (const saved of readCases(join(import.meta.dirname, "../src", folder, "cases"))) {
      test(saved.name, () => {
        const reconciler = reconcilerOf(saved.object);
        checkDecision(saved, (one) => decisionOf(reconcilerOf(one.object), one));
        assert.deepEqual(violationsOf(reconciler, [saved], words, statusGuide), []);
      });
    }
  });
}
