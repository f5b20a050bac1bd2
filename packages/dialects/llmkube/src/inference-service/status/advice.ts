import type { Note } from "@trivium/reconcile";
import { parseQuantity, quantityToNumber } from "@trivium/std";
import { type GpuPlan, gpuCount } from "../../hardware/gpu-plan.ts";
import type { InferenceService } from "../../kinds/inference-service.ts";
import type { Model } from "../../kinds/model.ts";
import type { ServiceReason } from "../../reasons.ts";
import type { ObservedService } from "../observe.ts";
import { windowOf } from "../sizing/sizing.ts";
import type { StoragePlan } from "../weights/storage.ts";
import { offloadAdvice } from "./engine-checks.ts";

export interface Advised {
  readonly service: InferenceService;
  readonly model: Model;
  readonly gpu: GpuPlan;
  readonly storage: StoragePlan;
  readonly observed: ObservedService;
}

/** What works and will surprise somebody: told once, and nothing waits for it. */
export function adviseOn(advised: Advised): Note[] {
  const rules = [missingMemory, unverifiedOffload, unboundedCache, ignoredClaim, longContext, smallGpu];
  return rules.flatMap((rule) => rule(advised) ?? []);
}

const advice = (reason: ServiceReason, message: string): Note => ({ type: "Warning", reason, message });

function missingMemory({ service: { spec }, model, gpu }: Advised): Note | undefined {
  const usesHost = spec.moeCPUOffload === true || (spec.moeCPULayers ?? 0) > 0 || spec.noKvOffload === true;
  const { memory, hostMemory } = spec.resources ?? {};
  if (!usesHost || gpuCount(gpu) === 0 || memory || hostMemory || model.spec.resources?.memory) return undefined;
  return advice(
    "MissingMemoryRequest",
    "Part of the model is kept in host memory, but no memory is requested; set spec.resources.hostMemory",
  );
}

function unverifiedOffload({ service: { spec } }: Advised): Note | undefined {
  const isOffloaded = spec.runtime === "vllm" && (spec.vllmConfig?.cpuOffloadGB ?? 0) > 0;
  return isOffloaded && !spec.resources?.hostMemory ? advice("CPUOffloadUnverified", offloadAdvice) : undefined;
}

function unboundedCache({ service: { spec }, storage }: Advised): Note | undefined {
  const isEphemeral = spec.modelCache?.persistence === "Ephemeral" && storage.folder !== undefined;
  if (!isEphemeral || spec.resources?.ephemeralStorage) return undefined;
  return advice(
    "UnboundedEphemeralCache",
    "The size of the ephemeral model cache is not limited; set spec.resources.ephemeralStorage",
  );
}

function ignoredClaim({ service: { spec }, storage }: Advised): Note | undefined {
  const { claimName } = spec.modelCache ?? {};
  if (!claimName || storage.cache?.is === "users") return undefined;
  return advice(
    "ModelCacheClaimIgnored",
    `spec.modelCache.claimName ${claimName} is ignored: the weights of this Model are not cached`,
  );
}

function longContext({ service, model }: Advised): Note | undefined {
  const { contextSize = 0, ropeScaling } = service.spec;
  const trained = model.status?.gguf?.contextLength ?? undefined;
  const window = windowOf(service, contextSize);
  if (trained === undefined || window <= trained || ropeScaling !== undefined) return undefined;
  const share = window === contextSize ? "" : ` gives each slot ${window} tokens, which`;
  return advice(
    "ContextBeyondTraining",
    `spec.contextSize ${contextSize}${share} exceeds the ${trained} tokens that the model was trained for; set spec.ropeScaling, or lower spec.contextSize`,
  );
}

/** Schedulers count GPUs and do not weigh them. */
function smallGpu({ model, gpu, observed }: Advised): Note | undefined {
  const request = parseQuantity(model.spec.hardware?.gpu?.memory ?? "");
  if (request === undefined || gpu.is !== "resource") return undefined;
  const sizes = observed.nodes
    .filter(({ resources }) => (resources[gpu.resource] ?? 0) > 0)
    .map(({ gpuBytes }) => gpuBytes);
  const reported = sizes.filter((bytes) => bytes !== undefined);
  if (reported.length === 0 || reported.some((bytes) => bytes >= quantityToNumber(request))) return undefined;
  return advice(
    "GPUMemoryTooSmall",
    `The Model requires GPUs with ${model.spec.hardware?.gpu?.memory} of memory, but no node has one`,
  );
}
