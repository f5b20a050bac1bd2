import { parseServingAnnotations } from "@trivium/engines";
import { gpuCount, planGpu } from "../../hardware/gpu-plan.ts";
import { sharingFault } from "../../hardware/gpu-sharing.ts";
import type { InferenceService } from "../../kinds/inference-service.ts";
import type { Model } from "../../kinds/model.ts";
import type { LlmkubeOptions } from "../../options.ts";
import { refusalOf } from "../../weights/local-root.ts";
import { sourceOf } from "../../weights/source.ts";
import type { ObservedService } from "../observe.ts";
import { budgetFault, unreadableQuantity } from "../pod/container-resources.ts";
import { type Engine, engineOf } from "../pod/engines/index.ts";
import { parallelismFault } from "../pod/parallelism.ts";
import { lowerPromptCache } from "../prompt-cache/lower-prompt-cache.ts";
import { draftRefOf } from "../weights/draft-model.ts";
import { failed, type LoweredCandidates } from "./lowered.ts";
import { quotaFault } from "./quota-fault.ts";
import { resolveModel } from "./ready-model.ts";

/** The gates that a service passes before anything is planned: its Models, what the operator allows, and a spec without contradictions. */
export function lowerCandidates(
  service: InferenceService,
  observed: ObservedService,
  options: LlmkubeOptions,
): LoweredCandidates {
  const model = resolveModel(observed.model, { name: service.spec.modelRef, field: "spec.modelRef" });
  if (model.is !== "ready") return model;
  const draftRef = draftRefOf(service);
  const draft =
    draftRef !== undefined && observed.draft !== undefined ? resolveModel(observed.draft, draftRef) : undefined;
  if (draft !== undefined && draft.is !== "ready") return draft;
  const candidate = lowerModels(service, { model: model.model, draft: draft?.model, options });
  return candidate.is === "candidate" ? (quotaFault(service, candidate, observed) ?? candidate) : candidate;
}

/** The gates behind Models that are ready. */
export function lowerModels(service: InferenceService, input: Models): LoweredCandidates {
  const { model, draft, options } = input;
  if (model.spec.hardware?.accelerator === "metal") return { is: "metal" };
  for (const { metadata, spec } of [model, ...(draft === undefined ? [] : [draft])]) {
    const refusal = refusalOf(sourceOf(spec), options.localRoots);
    if (refusal !== undefined) return failed("InvalidSpec", `Model ${metadata.name}: ${refusal}`);
  }
  return lowerEngine(service, input);
}

interface Models {
  readonly model: Model;
  readonly draft: Model | undefined;
  readonly options: LlmkubeOptions;
}

function lowerEngine(service: InferenceService, { model, draft, options }: Models): LoweredCandidates {
  const { runtime } = service.spec;
  const engine = engineOf(runtime);
  if (engine === undefined)
    return failed(
      "InvalidSpec",
      `Runtime ${runtime} runs under the Metal agent; set hardware.accelerator of the Model to metal`,
    );
  const gpu = planGpu(model, service, options.gpuResources);
  if (gpu.is === "faulty") return failed("InvalidSpec", gpu.why);
  const fault =
    unreadableQuantity(service) ??
    budgetFault(service, model, gpu) ??
    sharingFault(service, gpu, options) ??
    parallelismFault(service, gpuCount(gpu)) ??
    formatFault(model, engine);
  if (fault !== undefined) return failed("InvalidSpec", fault);
  const asked = parseServingAnnotations(service.metadata.annotations);
  const promptCache = lowerPromptCache(service, engine, asked);
  return { is: "candidate", model, draft, engine, gpu, asked, promptCache };
}

const readable: readonly string[] = ["gguf", "custom"];

function formatFault({ metadata, spec }: Model, { takes, container }: Engine): string | undefined {
  const { format = "gguf" } = spec;
  if (takes !== "file" || readable.includes(format)) return undefined;
  return `${container} supports only GGUF files, but Model ${metadata.name} has the format ${format}; use another runtime, or a GGUF model`;
}
