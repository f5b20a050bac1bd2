import { planAdapterArguments } from "@trivium/engines";
import { gpuCount } from "../../../hardware/gpu-plan.ts";
import { planSharding } from "../../../hardware/sharding.ts";
import type { InferenceService } from "../../../kinds/inference-service.ts";
import { allLayers } from "../../sizing/device-layers.ts";
import { Arguments } from "./arguments.ts";
import type { Engine, EngineSettings } from "./engine.ts";

type Spec = InferenceService["spec"];

const family = "ghcr.io/ggml-org/llama.cpp";

export const llamaCpp: Engine = {
  container: "llama-server",
  port: 8080,
  takes: "file",
  probes: { over: "http", startup: "/health", liveness: "/health" },
  metric: "llamacpp:requests_processing",
  splitsLayers: true,
  tellsLoad: true,
  listsModels: true,
  adapters: "applied",
  promptCache: "llama.cpp",
  image(vendor, { hardware }) {
    if (vendor === "nvidia") return `${family}:server-cuda-b10068`;
    if (vendor === "intel") return `${family}:server-${hardware?.accelerator === "vulkan" ? "vulkan" : "intel"}`;
    if (vendor !== "amd") return `${family}:server`;
    const isVulkan =
      hardware?.gpu?.runtime === "vulkan" || (hardware?.accelerator === "vulkan" && !hardware.gpu?.runtime);
    return `${family}:server-${isVulkan ? "vulkan" : "rocm"}`;
  },
  args: (settings) => {
    const args = new Arguments(settings.service.spec.extraArgs);
    // Answers then carry the name that requests use, not the path of a file.
    addWeights(args, settings);
    args.planned(planAdapterArguments(settings.adapters, "llama.cpp"));
    return finish(args.value("--alias", settings.service.metadata.name), settings);
  },
};

/** Adapters belong to one model, and the router serves many. */
function without({ adapters: _, ...engine }: Engine): Engine {
  return engine;
}

/** Serves whatever lies in a folder that the user mounts. */
export const llamaCppRouter: Engine = {
  ...without(llamaCpp),
  takes: "nothing",
  args: (settings) => finish(new Arguments(settings.service.spec.extraArgs).value("--models-dir", "/models"), settings),
};

function finish(args: Arguments, settings: EngineSettings): string[] {
  const { spec } = settings.service;
  args.value("--port", settings.port).value("--host", spec.bindAddress ?? "::");
  addGpu(args, settings);
  addContext(args, spec, gpuCount(settings.gpu) > 0);
  addMemory(args, spec);
  addSpeculation(args, settings);
  args
    .value("--reasoning-budget", spec.reasoningBudget)
    .value("--reasoning-budget-message", spec.reasoningBudgetMessage);
  args.value("--mmproj", settings.projector).each("--override-kv", spec.metadataOverrides);
  addMode(args, settings);
  args.planned(settings.promptCache);
  const all = args.finish();
  return args.has("--metrics") ? all : [...all, "--metrics"];
}

function addWeights(args: Arguments, { weights, origin }: EngineSettings): void {
  if (origin === undefined) args.value("--model", weights);
  else if (origin.is === "address") args.value("--model-url", origin.url);
  else args.value("--hf-repo", origin.repository).value("--hf-file", origin.file);
}

function addGpu(args: Arguments, { model, gpu, fittingLayers }: EngineSettings): void {
  const count = gpuCount(gpu);
  if (count === 0) return;
  const request = model.spec.hardware?.gpu?.layers;
  // Nothing and -1 both mean as many as fit; 0 means none.
  args.value(
    "--n-gpu-layers",
    request === undefined || request === null || request < 0 ? (fittingLayers ?? allLayers) : request,
  );
  const sharding = planSharding(model, count);
  args.value("--split-mode", sharding?.splitMode).value("--tensor-split", sharding?.tensorSplit);
}

function addContext(args: Arguments, spec: Spec, hasGpu: boolean): void {
  args.value("--ctx-size", spec.contextSize);
  const rope = spec.ropeScaling;
  if (rope !== undefined && !args.has("--rope-scaling")) {
    args.value("--rope-scaling", rope.type).value("--rope-scale", rope.factor);
    args.value("--yarn-orig-ctx", rope.originalContext);
  }
  args.value("--parallel", spec.parallelSlots);
  if (spec.flashAttention === true && hasGpu) args.value("--flash-attn", "on");
  args.flag("--jinja", spec.jinja);
}

function addMemory(args: Arguments, spec: Spec): void {
  args.value("--cache-type-k", spec.cacheTypeCustomK ?? spec.cacheTypeK);
  args.value("--cache-type-v", spec.cacheTypeCustomV ?? spec.cacheTypeV);
  args.flag("--cpu-moe", spec.moeCPUOffload);
  if ((spec.moeCPULayers ?? 0) > 0) args.value("--n-cpu-moe", spec.moeCPULayers);
  args.flag("--no-kv-offload", spec.noKvOffload).each("--override-tensor", spec.tensorOverrides);
  args.value("--batch-size", spec.batchSize).value("--ubatch-size", spec.uBatchSize);
  args.flag("--no-warmup", spec.noWarmup);
}

const otherNames: Readonly<Record<string, string>> = { mtp: "draft-mtp", draft: "draft-simple" };

function addSpeculation(args: Arguments, { service, draft }: EngineSettings): void {
  const request = service.spec.speculativeDecoding;
  if (request === undefined || request.type === "none" || request.type === "disabled") return;
  args.value("--spec-type", otherNames[request.type] ?? request.type).value("-md", draft);
  args.value("--spec-draft-n-max", request.nDraftMax).value("--spec-draft-p-min", request.pMin);
}

/** The prompt cache in host memory is never used in these modes, and would take gigabytes. */
function addMode(args: Arguments, { mode, service }: EngineSettings): void {
  if (mode === "chat") return;
  args.flag("--reranking", mode === "rerank").flag("--embedding", !args.has("--embeddings"));
  args.value("--pooling", poolingOf(mode, service.spec)).value("--cache-ram", 0);
}

/** Only a mode that is written down fixes the pooling; a path or an argument says what is served, and the file how it pools. */
function poolingOf(mode: EngineSettings["mode"], spec: Spec): string | undefined {
  if (mode === "rerank") return "rank";
  return spec.mode === "embedding" ? "last" : undefined;
}
