import { planAdapterArguments } from "@trivium/engines";
import { gpuCount } from "../../../hardware/gpu-plan.ts";
import { Arguments } from "./arguments.ts";
import type { Engine, EngineSettings } from "./engine.ts";

export const vllm: Engine = {
  container: "vllm",
  port: 8000,
  command: ["vllm", "serve"],
  takes: "folder",
  probes: { over: "http", startup: "/health", liveness: "/health" },
  metric: "vllm:num_requests_running",
  tellsLoad: true,
  tokenVariable: "HF_TOKEN",
  listsModels: true,
  adapters: "named",
  promptCache: "vllm",
  serviceLinks: false,
  image: () => "vllm/vllm-openai:v0.25.1",
  args: argsOf,
};

function argsOf(settings: EngineSettings): string[] {
  const { service, model, gpu, port, weights, revision } = settings;
  const { spec } = service;
  const config = spec.vllmConfig ?? {};
  const count = gpuCount(gpu);
  const args = new Arguments(spec.extraArgs).word(weights);
  args
    .value("--revision", revision)
    .value("--port", port)
    .value("--host", spec.bindAddress ?? "::");
  const { strategy } = model.spec.hardware?.gpu?.sharding ?? {};
  const isPipeline = strategy === "pipeline" && config.tensorParallelSize === undefined;
  const tensors = config.tensorParallelSize ?? (isPipeline ? 1 : count);
  args.value("--tensor-parallel-size", tensors > 1 ? tensors : undefined);
  args.value("--pipeline-parallel-size", isPipeline && count > 1 ? count : undefined);
  args.value("--max-model-len", config.maxModelLen ?? spec.contextSize);
  args.value("--quantization", config.quantization).value("--dtype", config.dtype);
  const cache = config.kvCacheCustomDtype ?? config.kvCacheDtype;
  args.value("--kv-cache-dtype", cache === "auto" ? undefined : cache);
  args.flag("--enable-prefix-caching", config.enablePrefixCaching).planned(settings.promptCache);
  args.flag("--enable-chunked-prefill", config.enableChunkedPrefill);
  args.value("--max-num-batched-tokens", config.maxNumBatchedTokens);
  args.value("--attention-backend", config.attentionBackend);
  args.value("--speculative-config", speculationOf(config.speculative, settings));
  args.flag("--enable-expert-parallel", config.enableExpertParallel);
  args.planned(planAdapterArguments(settings.adapters, "vllm"));
  if (count > 0) {
    args.value("--cpu-offload-gb", config.cpuOffloadGB || undefined);
    args.value("--gpu-memory-utilization", config.gpuMemoryUtilization);
  }
  return args.value("--max-num-seqs", spec.parallelSlots).finish();
}

type Speculation = NonNullable<NonNullable<EngineSettings["service"]["spec"]["vllmConfig"]>["speculative"]>;

/** Of a Model that is named the engine gets the place of its weights; a path or a repository it gets as written. */
function speculationOf(
  wanted: Speculation | undefined,
  { draft, draftRevision }: Pick<EngineSettings, "draft" | "draftRevision">,
): string | undefined {
  if (wanted?.enabled !== true || !wanted.model) return undefined;
  return JSON.stringify({
    model: draft ?? wanted.model,
    ...(draftRevision === undefined ? {} : { revision: draftRevision }),
    num_speculative_tokens: wanted.numSpeculativeTokens ?? 4,
  });
}
