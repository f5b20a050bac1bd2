import type { InferenceService } from "../../kinds/inference-service.ts";

/** The Model object that guesses tokens ahead, and the field that names it. */
export interface DraftRef {
  readonly name: string;
  readonly field: string;
}

/** llama.cpp has a field for a Model. That of vLLM takes a path or a repository too, and those have a slash, which no Model's name has. */
export function draftRefOf({ spec }: InferenceService): DraftRef | undefined {
  const { runtime = "llamacpp", speculativeDecoding, vllmConfig } = spec;
  if (speculativeDecoding?.draftModelRef)
    return { name: speculativeDecoding.draftModelRef, field: "spec.speculativeDecoding.draftModelRef" };
  const { enabled, model } = vllmConfig?.speculative ?? {};
  if (runtime !== "vllm" || enabled !== true || !model || model.includes("/")) return undefined;
  return { name: model, field: "spec.vllmConfig.speculative.model" };
}
