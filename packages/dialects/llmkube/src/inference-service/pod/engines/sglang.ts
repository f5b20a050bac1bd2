import { planAdapterArguments } from "@trivium/engines";
import { gpuCount } from "../../../hardware/gpu-plan.ts";
import { Arguments } from "./arguments.ts";
import type { Engine, EngineSettings } from "./engine.ts";

export const sglang: Engine = {
  container: "sglang",
  port: 30000,
  command: ["python3", "-m", "sglang.launch_server"],
  takes: "folder",
  probes: { over: "http", startup: "/health_generate", liveness: "/health" },
  metric: "sglang:num_running_reqs",
  tellsLoad: true,
  tokenVariable: "HF_TOKEN",
  listsModels: true,
  adapters: "named",
  promptCache: "sglang",
  image: (vendor) => `lmsysorg/sglang:${vendor === "amd" ? "v0.5.15-rocm720-mi30x" : "v0.5.15.post1-cu129"}`,
  args: argsOf,
};

function argsOf(settings: EngineSettings): string[] {
  const { service, port, weights, revision, mode } = settings;
  const { spec } = service;
  const config = spec.sglangConfig ?? {};
  const args = new Arguments(spec.extraArgs).value("--model-path", weights).value("--revision", revision);
  args
    .value("--port", port)
    .flag("--enable-metrics", true)
    .value("--host", spec.bindAddress ?? "::");
  args.value("--served-model-name", spec.modelRef);
  addParallelism(args, settings);
  args.value("--context-length", config.contextLength ?? spec.contextSize);
  if (settings.gpu.is !== "none") args.value("--mem-fraction-static", config.memFractionStatic);
  args.value("--chunked-prefill-size", config.chunkedPrefillSize);
  args.value("--max-running-requests", config.maxRunningRequests ?? spec.parallelSlots);
  args.value("--quantization", config.quantization);
  const cache = config.kvCacheCustomDtype ?? config.kvCacheDtype;
  args.value("--kv-cache-dtype", cache === "auto" ? undefined : cache);
  args.value("--attention-backend", config.attentionBackend);
  args.flag("--enable-prefix-caching", config.enablePrefixCaching).planned(settings.promptCache);
  args.value("--tool-call-parser", config.toolCallParser).value("--reasoning-parser", config.reasoningParser);
  args.value("--chat-template", config.chatTemplate);
  addSpeculation(args, config.speculative);
  addAdapters(args, config, settings.adapters);
  args.value("--log-level", config.logLevel).flag("--trust-remote-code", config.trustRemoteCode);
  args.flag("--skip-tokenizer-init", config.skipTokenizerInit);
  return args.flag("--is-embedding", mode === "embedding").finish();
}

type Config = NonNullable<EngineSettings["service"]["spec"]["sglangConfig"]>;

function addParallelism(args: Arguments, { service, model, gpu }: EngineSettings): void {
  const config = service.spec.sglangConfig ?? {};
  const count = gpuCount(gpu);
  const isPipeline =
    model.spec.hardware?.gpu?.sharding?.strategy === "pipeline" && config.tensorParallelSize === undefined;
  const tensors = config.tensorParallelSize ?? (count > 1 && !isPipeline ? count : undefined);
  args.value("--tp", tensors).value("--pp", isPipeline && count > 1 ? count : undefined);
  args.value("--ep", config.expertParallelSize).value("--dp", config.dataParallelSize);
}

function addSpeculation(args: Arguments, request: Config["speculative"]): void {
  if (request?.enabled !== true) return;
  args.value("--speculative-algorithm", request.algorithm);
  args.value("--speculative-draft-model-path", request.draftModelPath);
  args.value("--speculative-num-steps", request.numSteps).value("--speculative-eagle-topk", request.eagleTopK);
  args.value("--speculative-num-draft-tokens", request.numDraftTokens);
  args.value("--speculative-accept-threshold-single", request.acceptThresholdSingle);
  args.value("--speculative-accept-threshold-acc", request.acceptThresholdAcc);
}

function addAdapters(args: Arguments, config: Config, asked: EngineSettings["adapters"]): void {
  const paths = (config.loraModules ?? []).map((path) => ({ path }));
  args.planned(planAdapterArguments([...(config.loraAdapters ?? []), ...asked, ...paths], "sglang"));
  args.value("--max-lora-rank", config.maxLoraRank);
  const targets = config.loraTargetModules ?? [];
  if (targets.length > 0 && !args.has("--lora-target-modules")) args.word("--lora-target-modules").words(targets);
}
