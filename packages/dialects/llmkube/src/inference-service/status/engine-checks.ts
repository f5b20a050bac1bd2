import type { DecidedCondition } from "@trivium/kube";
import type { InferenceService } from "../../kinds/inference-service.ts";

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
      message: "vllmConfig.speculative is enabled without a model and has no effect; set speculative.model",
    };
  if ((cpuOffloadGB ?? 0) > 0) return { type, status: "True", reason: "CPUOffloadUnverified", message: offloadAdvice };
  return { type, status: "True", reason: "ConfigValid", message: "vllmConfig is applied" };
}

export const offloadAdvice =
  "vllmConfig.cpuOffloadGB uses host memory that is not requested; request as much in spec.resources.hostMemory";

function checkSglang({ speculative }: NonNullable<Spec["sglangConfig"]>): DecidedCondition {
  const type = "SGLangSpecValid";
  const { enabled, algorithm, draftModelPath, acceptThresholdAcc, acceptThresholdSingle } = speculative ?? {};
  if (enabled === true && (!algorithm || !draftModelPath))
    return {
      type,
      status: "False",
      reason: "SpeculativeMissingConfig",
      message: "sglangConfig.speculative is enabled, but algorithm or draftModelPath is missing; set both",
    };
  if (enabled !== true && (acceptThresholdAcc !== undefined || acceptThresholdSingle !== undefined))
    return {
      type,
      status: "False",
      reason: "SpeculativeAcceptThresholdUnused",
      message:
        "sglangConfig.speculative has thresholds but is not enabled; set speculative.enabled, or remove the thresholds",
    };
  return { type, status: "True", reason: "ConfigValid", message: "sglangConfig is applied" };
}
