import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, it } from "node:test";
import type { AnyReconciler } from "@trivium/reconcile";
import { decisionOf, readCases, type SavedCase } from "@trivium/testkit";
import { serviceReconciler } from "../src/inference-service/reconciler.ts";
import { defaultOptions, type LlmkubeOptions } from "../src/options.ts";

describe("memory of slots that nobody counts, on a GPU", () => {
  const saved = readCases(join(import.meta.dirname, "../src/inference-service/cases")).find(
    ({ name }) => name === "fits-gpu",
  );
  const cacheWith = (slotContexts: LlmkubeOptions["slotContexts"]): string | undefined => {
    const { object, ...world } = saved as SavedCase & { readonly object: { readonly spec: object } };
    const small = { ...world, object: { ...object, spec: { ...object.spec, contextSize: 512 } } } as SavedCase;
    const reconciler: AnyReconciler = serviceReconciler({ ...defaultOptions, slotContexts });
    const decision = decisionOf(reconciler, small);
    return /cache [\d.]+Mi/.exec(JSON.stringify(decision))?.[0];
  };

  it("is that of one context in llama.cpp's own server, and of one for each slot in the local engine", () => {
    assert.equal(cacheWith("shared"), "cache 160.0Mi");
    assert.equal(cacheWith("own"), "cache 640.0Mi");
  });
});
