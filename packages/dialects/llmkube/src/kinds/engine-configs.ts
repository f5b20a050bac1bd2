import { k8s } from "@trivium/kube";
import { as, bool, int32, list, num, obj, oneOf, opt, str } from "@trivium/schema";

const hfTokenSecretRef = opt(as(k8s.SecretKeySelector, "Key of a Secret that holds a Hugging Face token"));

const parallelism = (description: string) => opt(int32(description, { minimum: 1 }));

const kvCache = {
  kvCacheDtype: opt(oneOf("Number format of the KV cache", ["auto", "fp8_e5m2", "fp8_e4m3"], { default: "auto" })),
  kvCacheCustomDtype: opt(str("Format for engine builds that know others; wins over `kvCacheDtype`")),
};

const VllmSpeculative = obj("Speculative decoding in vLLM", {
  enabled: opt(bool("Whether it is used")),
  model: opt(str("Draft model, as a path or repository")),
  numSpeculativeTokens: opt(int32("Tokens to guess at a time", { default: 4, minimum: 1, maximum: 16 })),
});

const Vllm = obj("Settings of vLLM", {
  tensorParallelSize: parallelism("GPUs that share each tensor"),
  maxModelLen: opt(int32("Longest context in tokens")),
  quantization: opt(
    oneOf("Quantization of the weights", ["awq", "gptq", "squeezellm", "fp8", "nvfp4", "mxfp4", "compressed-tensors"]),
  ),
  dtype: opt(oneOf("Number format of weights and activations", ["auto", "float16", "bfloat16"])),
  ...kvCache,
  enablePrefixCaching: opt(bool("Reuses the cache of equal beginnings of prompts")),
  enableChunkedPrefill: opt(bool("Reads long prompts in pieces, between the tokens of others")),
  maxNumBatchedTokens: opt(int32("Most tokens in one step", { minimum: 512 })),
  attentionBackend: opt(
    oneOf("Implementation of attention; the spelling in capitals is the engine's own", [
      "FLASH_ATTN",
      "FLASHINFER",
      "XFORMERS",
      "flashinfer",
      "flash_attn",
      "xformers",
      "torch_sdpa",
    ]),
  ),
  speculative: opt(VllmSpeculative),
  enableExpertParallel: opt(bool("Spreads the experts of a mixture-of-experts model over the GPUs")),
  cpuOffloadGB: opt(int32("GB of weights per GPU to keep in host memory", { minimum: 0 })),
  gpuMemoryUtilization: opt(num("Share of GPU memory that vLLM may take", { minimum: 0.1, maximum: 0.99 })),
  hfTokenSecretRef,
});

const threshold = (description: string) => opt(num(description, { minimum: 0, maximum: 1 }));

const SglangSpeculative = obj("Speculative decoding in SGLang", {
  enabled: opt(bool("Whether it is used")),
  algorithm: opt(oneOf("Method", ["EAGLE", "EAGLE3", "Medusa"])),
  draftModelPath: opt(str("Draft model, as a path or repository")),
  numSteps: parallelism("Steps of the draft model in one round"),
  eagleTopK: parallelism("Branches that EAGLE keeps in each step"),
  numDraftTokens: opt(int32("Tokens to check in one round", { default: 4, minimum: 1 })),
  acceptThresholdSingle: threshold("Probability at which one guessed token is taken"),
  acceptThresholdAcc: threshold("Probability at which a run of guessed tokens is taken"),
});

const LoraAdapter = obj("One LoRA adapter", {
  name: str("Name that requests use as their model", { minLength: 1 }),
  path: str("Path or repository of the adapter", { minLength: 1 }),
});

const Sglang = obj("Settings of SGLang", {
  tensorParallelSize: parallelism("GPUs that share each tensor"),
  expertParallelSize: parallelism("GPUs that share the experts of a mixture-of-experts model"),
  dataParallelSize: parallelism("Copies of the model within one replica"),
  contextLength: opt(int32("Longest context in tokens", { minimum: 128 })),
  memFractionStatic: opt(num("Share of GPU memory for weights and KV cache", { minimum: 0.1, maximum: 0.99 })),
  chunkedPrefillSize: opt(int32("Tokens of a long prompt to read at a time", { minimum: 512 })),
  maxRunningRequests: parallelism("Most requests worked on at the same time"),
  quantization: opt(str("Quantization of the weights, in the engine's words")),
  ...kvCache,
  attentionBackend: opt(oneOf("Implementation of attention", ["flashinfer", "flash_attn", "torch_native"])),
  enablePrefixCaching: opt(bool("Reuses the cache of equal beginnings of prompts")),
  toolCallParser: opt(
    oneOf("How tool calls are found in the answer", ["llama3", "qwen3", "qwen25", "hermes", "functionary", "mistral"]),
  ),
  reasoningParser: opt(oneOf("How the thinking is told from the answer", ["qwen3", "deepseek-r1"])),
  chatTemplate: opt(str("Chat template to use in place of the model's: a name or a path")),
  speculative: opt(SglangSpeculative),
  loraAdapters: opt(list("LoRA adapters to load at start", LoraAdapter)),
  loraModules: opt(list("Deprecated: use `loraAdapters`. Adapters as `name=path`", str(""))),
  maxLoraRank: parallelism("Highest rank of an adapter"),
  loraTargetModules: opt(list("Layers that adapters may change", str(""))),
  logLevel: opt(oneOf("How much the engine logs", ["debug", "info", "warning", "error"])),
  trustRemoteCode: opt(bool("Runs Python code that comes with the model; only for sources you trust")),
  skipTokenizerInit: opt(bool("Leaves tokenizing to the caller")),
  hfTokenSecretRef,
});

const Tgi = obj("Settings of Text Generation Inference", {
  quantize: opt(oneOf("Quantization of the weights", ["bitsandbytes", "gptq", "awq", "eetq"])),
  maxInputLength: opt(int32("Longest prompt in tokens")),
  maxTotalTokens: opt(int32("Longest prompt and answer together, in tokens")),
  dtype: opt(oneOf("Number format of weights and activations", ["float16", "bfloat16"])),
  hfTokenSecretRef,
});

const PersonaPlex = obj("Settings of PersonaPlex", {
  quantize4Bit: opt(bool("Loads the weights in four bits")),
  cpuOffload: opt(bool("Keeps part of the model in host memory")),
  hfTokenSecretRef,
});

/** One block for each engine that has settings of its own; the blocks of other engines are ignored. */
export const engineConfigs = {
  vllmConfig: opt(Vllm),
  sglangConfig: opt(Sglang),
  tgiConfig: opt(Tgi),
  personaPlexConfig: opt(PersonaPlex),
};
