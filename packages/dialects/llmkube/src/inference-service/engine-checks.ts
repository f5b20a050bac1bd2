import type { DecidedCondition } from "@trivium/kube";
import type { InferenceService } from "../kinds/inference-service.ts";

/** What the block of the engine in use says that does not go together; nothing for engines without such a block. */
export function checkEngine({ spec }: InferenceService): DecidedCondition[] {
  if (spec.runtime === "vllm" && spec.vllmConfig !== undefined) return [checkVllm(spec.vllmConfig)];
  if (spec.runtime === "sglang" && spec.sglangConfig !== undefined) return [checkSglang(spec.sglangConfig)];
  return [];
}

type Spec = InferenceService["spec"];

function checkVllm({ speculative, cpuOffloadGB }: NonNullable<Spec["vllmConfig"]>): DecidedCondition {
  const type = "VLLMSpecValid";
  if (speculative?.enabled === true && !speculative.model)
    return {
      type,
      status: "False",
      reason: "SpeculativeMissingModel",
      message: "vllmConfig.speculative is enabled and names no model: it is left out; set speculative.model",
    };
  if ((cpuOffloadGB ?? 0) > 0) return { type, status: "True", reason: "CPUOffloadUnverified", message: offloadAdvice };
  return { type, status: "True", reason: "ConfigValid", message: "All of vllmConfig is carried out" };
}

export const offloadAdvice =
  "vllmConfig.cpuOffloadGB takes memory of the node that nobody counted: ask for as much in spec.resources.hostMemory";

function checkSglang({ speculative }: NonNullable<Spec["sglangConfig"]>): DecidedCondition {
  const type = "SGLangSpecValid";
  const { enabled, algorithm, draftModelPath, acceptThresholdAcc, acceptThresholdSingle } = speculative ?? {};
  if (enabled === true && (!algorithm || !draftModelPath))
    return {
      type,
      status: "False",
      reason: "SpeculativeMissingConfig",
      message: "sglangConfig.speculative is enabled and needs both algorithm and draftModelPath",
    };
  if (enabled !== true && (acceptThresholdAcc !== undefined || acceptThresholdSingle !== undefined))
    return {
      type,
      status: "False",
      reason: "SpeculativeAcceptThresholdUnused",
      message: "sglangConfig.speculative has thresholds and is not enabled: they do nothing",
    };
  return { type, status: "True", reason: "ConfigValid", message: "All of sglangConfig is carried out" };
}
