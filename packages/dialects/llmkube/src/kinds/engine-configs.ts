import { k8s } from "@trivium/kube";
import { as, bool, int32, list, num, obj, oneOf, opt, str } from "@trivium/schema";

const hfTokenSecretRef = opt(as(k8s.SecretKeySelector, "Key of a Secret that holds a Hugging Face token"));

const parallelism = (description: string) => opt(int32(description, { minimum: 1 }));

const kvCache = {
  kvCacheDtype: opt(oneOf("Data type of the KV cache", ["auto", "fp8_e5m2", "fp8_e4m3"], { default: "auto" })),
  kvCacheCustomDtype: opt(
    str("Data type of the KV cache for engine builds that support others; takes precedence over `kvCacheDtype`"),
  ),
};

const VllmSpeculative = obj("Speculative decoding in vLLM", {
  enabled: opt(bool("Enables speculative decoding")),
  model: opt(str("Path or repository of the draft model")),
  numSpeculativeTokens: opt(int32("Number of tokens to draft in each step", { default: 4, minimum: 1, maximum: 16 })),
});

const Vllm = obj("Settings of vLLM", {
  tensorParallelSize: parallelism("Tensor parallel size: number of GPUs that share each layer"),
  maxModelLen: opt(int32("Maximum context length in tokens")),
  quantization: opt(
    oneOf("Quantization of the weights", ["awq", "gptq", "squeezellm", "fp8", "nvfp4", "mxfp4", "compressed-tensors"]),
  ),
  dtype: opt(oneOf("Data type of weights and activations", ["auto", "float16", "bfloat16"])),
  ...kvCache,
  enablePrefixCaching: opt(bool("Enables prefix caching: prompts with a common prefix share its KV cache")),
  enableChunkedPrefill: opt(
    bool("Enables chunked prefill: long prompts are processed in chunks, between the decode steps of other requests"),
  ),
  maxNumBatchedTokens: opt(int32("Maximum number of tokens in one step", { minimum: 512 })),
  attentionBackend: opt(
    oneOf("Attention backend; the upper-case names are those of vLLM", [
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
  enableExpertParallel: opt(
    bool("Enables expert parallelism: the experts of a mixture-of-experts model are distributed among the GPUs"),
  ),
  cpuOffloadGB: opt(int32("GB of weights to keep in host memory for each GPU", { minimum: 0 })),
  gpuMemoryUtilization: opt(num("Fraction of the GPU memory that vLLM can use", { minimum: 0.1, maximum: 0.99 })),
  hfTokenSecretRef,
});

const threshold = (description: string) => opt(num(description, { minimum: 0, maximum: 1 }));

const SglangSpeculative = obj("Speculative decoding in SGLang", {
  enabled: opt(bool("Enables speculative decoding")),
  algorithm: opt(oneOf("Algorithm for speculative decoding", ["EAGLE", "EAGLE3", "Medusa"])),
  draftModelPath: opt(str("Path or repository of the draft model")),
  numSteps: parallelism("Number of steps of the draft model in each round"),
  eagleTopK: parallelism("Number of branches that EAGLE keeps in each step"),
  numDraftTokens: opt(int32("Number of draft tokens to verify in each round", { default: 4, minimum: 1 })),
  acceptThresholdSingle: threshold("Probability above which a single draft token is accepted"),
  acceptThresholdAcc: threshold("Accumulated probability above which a sequence of draft tokens is accepted"),
});

const LoraAdapter = obj("LoRA adapter", {
  name: str("Name that clients use as the model name", { minLength: 1 }),
  path: str("Path or repository of the adapter", { minLength: 1 }),
});

const Sglang = obj("Settings of SGLang", {
  tensorParallelSize: parallelism("Tensor parallel size: number of GPUs that share each layer"),
  expertParallelSize: parallelism(
    "Expert parallel size: number of GPUs that share the experts of a mixture-of-experts model",
  ),
  dataParallelSize: parallelism("Data parallel size: number of copies of the model in each replica"),
  contextLength: opt(int32("Maximum context length in tokens", { minimum: 128 })),
  memFractionStatic: opt(num("Fraction of the GPU memory for weights and KV cache", { minimum: 0.1, maximum: 0.99 })),
  chunkedPrefillSize: opt(int32("Number of tokens in each chunk of a long prompt", { minimum: 512 })),
  maxRunningRequests: parallelism("Maximum number of concurrent requests"),
  quantization: opt(str("Quantization of the weights, as named by SGLang")),
  ...kvCache,
  attentionBackend: opt(oneOf("Attention backend", ["flashinfer", "flash_attn", "torch_native"])),
  enablePrefixCaching: opt(bool("Enables prefix caching: prompts with a common prefix share its KV cache")),
  toolCallParser: opt(
    oneOf("Parser for tool calls in the output", ["llama3", "qwen3", "qwen25", "hermes", "functionary", "mistral"]),
  ),
  reasoningParser: opt(oneOf("Parser that separates the reasoning from the answer", ["qwen3", "deepseek-r1"])),
  chatTemplate: opt(str("Name or path of a chat template that replaces the one of the model")),
  speculative: opt(SglangSpeculative),
  loraAdapters: opt(list("LoRA adapters to load at start", LoraAdapter)),
  loraModules: opt(list("Deprecated: use `loraAdapters`. Adapters as `name=path`", str(""))),
  maxLoraRank: parallelism("Maximum rank of the adapters"),
  loraTargetModules: opt(list("Modules that adapters can target", str(""))),
  logLevel: opt(oneOf("Log level of the engine", ["debug", "info", "warning", "error"])),
  trustRemoteCode: opt(bool("Runs Python code from the model repository; enable it only for sources you trust")),
  skipTokenizerInit: opt(bool("Skips loading the tokenizer; clients send token IDs")),
  hfTokenSecretRef,
});

const Tgi = obj("Settings of Text Generation Inference", {
  quantize: opt(oneOf("Quantization of the weights", ["bitsandbytes", "gptq", "awq", "eetq"])),
  maxInputLength: opt(int32("Maximum length of the prompt in tokens")),
  maxTotalTokens: opt(int32("Maximum length of prompt and answer together, in tokens")),
  dtype: opt(oneOf("Data type of weights and activations", ["float16", "bfloat16"])),
  hfTokenSecretRef,
});

const PersonaPlex = obj("Settings of PersonaPlex", {
  quantize4Bit: opt(bool("Loads the weights with 4-bit quantization")),
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
