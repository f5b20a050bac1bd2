/** The flags of llama-server: what each is called, which variable stands for it, what it means here. */

export type FlagKind = "text" | "integer" | "number" | "switch" | "on-off" | "layers";

export interface FlagRow {
  readonly names: readonly string[];
  /** Names that turn a switch off. */
  readonly negated?: readonly string[];
  readonly env?: string;
  readonly kind: FlagKind;
  readonly oneOf?: readonly string[];
  /** Given several times, all values count. */
  readonly many?: true;
  /** The native binding has nothing for it and the answers stay right without: accepted with a warning. */
  readonly idle?: true;
  /** Values of which the same is true, where others have an effect. */
  readonly idleValues?: readonly string[];
  /** Going on without it would be wrong or unsafe. */
  readonly refused?: string;
}

const row = (kind: FlagKind, names: string, more: Omit<FlagRow, "kind" | "names"> = {}): FlagRow => ({
  kind,
  names: names.split(" "),
  ...more,
});
const idle = (kind: FlagKind, names: string, more: Omit<FlagRow, "kind" | "names"> = {}): FlagRow =>
  row(kind, names, { ...more, idle: true });
const env = (name: string): { env: string } => ({ env: `LLAMA_ARG_${name}` });
const off = (...names: string[]): { negated: string[] } => ({ negated: names });

const cacheTypes = ["f32", "f16", "q8_0", "q4_0", "q4_1", "iq4_nl", "q5_0", "q5_1"];

export const flagRows = {
  model: row("text", "-m --model", env("MODEL")),
  mmproj: row("text", "-mm --mmproj", env("MMPROJ")),
  ctxSize: row("integer", "-c --ctx-size", env("CTX_SIZE")),
  parallel: row("integer", "-np --parallel", env("N_PARALLEL")),
  gpuLayers: row("layers", "-ngl --gpu-layers --n-gpu-layers", env("N_GPU_LAYERS")),
  threads: row("integer", "-t --threads", env("THREADS")),
  batch: row("integer", "-b --batch-size", env("BATCH")),
  ubatch: row("integer", "-ub --ubatch-size", env("UBATCH")),
  flashAttn: row("on-off", "-fa --flash-attn", env("FLASH_ATTN")),
  cacheTypeK: row("text", "-ctk --cache-type-k", { ...env("CACHE_TYPE_K"), oneOf: cacheTypes }),
  cacheTypeV: row("text", "-ctv --cache-type-v", { ...env("CACHE_TYPE_V"), oneOf: cacheTypes }),
  swaFull: row("switch", "--swa-full", env("SWA_FULL")),
  ropeScaling: row("text", "--rope-scaling", {
    ...env("ROPE_SCALING_TYPE"),
    oneOf: ["none", "linear", "yarn", "longrope"],
  }),
  yarnOrigCtx: row("integer", "--yarn-orig-ctx", env("YARN_ORIG_CTX")),
  overrideKv: row("text", "--override-kv", { many: true }),
  cachePrompt: row("switch", "--cache-prompt", { ...env("CACHE_PROMPT"), ...off("--no-cache-prompt") }),
  mlock: row("switch", "--mlock", env("MLOCK")),
  mmap: row("switch", "--mmap", { ...env("MMAP"), ...off("--no-mmap") }),
  ropeFreqBase: row("number", "--rope-freq-base", env("ROPE_FREQ_BASE")),
  ropeFreqScale: row("number", "--rope-freq-scale", env("ROPE_FREQ_SCALE")),
  ropeScale: row("number", "--rope-scale", env("ROPE_SCALE")),
  lora: row("text", "--lora", { many: true }),
  loraScaled: row("text", "--lora-scaled", { many: true }),
  // Not of llama-server: set where the engine stands in for a server whose adapters have names.
  loraNames: row("text", "--lora-names", { env: "TRIVIUM_LORA_NAMES", many: true }),

  jinja: row("switch", "--jinja", { ...env("JINJA"), ...off("--no-jinja") }),
  chatTemplate: row("text", "--chat-template", env("CHAT_TEMPLATE")),
  chatTemplateFile: row("text", "--chat-template-file", env("CHAT_TEMPLATE_FILE")),
  chatTemplateKwargs: row("text", "--chat-template-kwargs", env("CHAT_TEMPLATE_KWARGS")),
  reasoningFormat: row("text", "--reasoning-format", {
    ...env("THINK"),
    oneOf: ["none", "auto", "deepseek", "deepseek-legacy"],
  }),
  reasoning: row("on-off", "-rea --reasoning", env("REASONING")),
  reasoningBudget: row("integer", "--reasoning-budget", env("THINK_BUDGET")),
  reasoningBudgetMessage: row("text", "--reasoning-budget-message", env("THINK_BUDGET_MESSAGE")),

  predict: row("integer", "-n --predict --n-predict", env("N_PREDICT")),
  seed: row("integer", "-s --seed"),
  temperature: row("number", "--temp --temperature", env("TEMPERATURE")),
  topK: row("integer", "--top-k", env("TOP_K")),
  topP: row("number", "--top-p", env("TOP_P")),
  minP: row("number", "--min-p", env("MIN_P")),
  topNSigma: row("number", "--top-nsigma --top-n-sigma"),
  xtcProbability: row("number", "--xtc-probability"),
  xtcThreshold: row("number", "--xtc-threshold"),
  typicalP: row("number", "--typical --typical-p"),
  repeatLastN: row("integer", "--repeat-last-n"),
  repeatPenalty: row("number", "--repeat-penalty", env("REPEAT_PENALTY")),
  presencePenalty: row("number", "--presence-penalty", env("PRESENCE_PENALTY")),
  frequencyPenalty: row("number", "--frequency-penalty", env("FREQUENCY_PENALTY")),
  dryMultiplier: row("number", "--dry-multiplier"),
  dryBase: row("number", "--dry-base"),
  dryAllowedLength: row("integer", "--dry-allowed-length"),
  dryPenaltyLastN: row("integer", "--dry-penalty-last-n"),
  drySequenceBreaker: row("text", "--dry-sequence-breaker", { many: true }),
  mirostat: row("integer", "--mirostat"),
  mirostatLr: row("number", "--mirostat-lr"),
  mirostatEnt: row("number", "--mirostat-ent"),
  ignoreEos: row("switch", "--ignore-eos"),
  grammar: row("text", "--grammar"),
  grammarFile: row("text", "--grammar-file"),

  host: row("text", "--host", env("HOST")),
  port: row("integer", "--port", env("PORT")),
  apiPrefix: row("text", "--api-prefix", env("API_PREFIX")),
  alias: row("text", "-a --alias", env("ALIAS")),
  tags: row("text", "--tags", env("TAGS")),
  corsOrigins: row("text", "--cors-origins", env("CORS_ORIGINS")),
  allowedHosts: row("text", "--allowed-hosts", { env: "TRIVIUM_ALLOWED_HOSTS" }),
  apiKey: row("text", "--api-key", { env: "LLAMA_API_KEY", many: true }),
  apiKeyFile: row("text", "--api-key-file", env("API_KEY_FILE")),
  metrics: row("switch", "--metrics", env("ENDPOINT_METRICS")),
  slots: row("switch", "--slots", { ...env("ENDPOINT_SLOTS"), ...off("--no-slots") }),
  props: row("switch", "--props", env("ENDPOINT_PROPS")),
  embedding: row("switch", "--embedding --embeddings", env("EMBEDDINGS")),
  rerank: row("switch", "--rerank --reranking", env("RERANKING")),
  pooling: row("text", "--pooling", { ...env("POOLING"), oneOf: ["none", "mean", "cls", "last", "rank"] }),
  embdNormalize: row("integer", "--embd-normalize"),
  timeout: row("integer", "-to --timeout", env("TIMEOUT")),
  verbose: row("switch", "-v --verbose --log-verbose"),
  help: row("switch", "-h --help --usage"),
  version: row("switch", "--version"),
  listDevices: row("switch", "--list-devices"),

  cpuMoe: idle("integer", "-ncmoe --n-cpu-moe", env("N_CPU_MOE")),
  devices: idle("text", "-dev --device", env("DEVICE")),
  cpuMask: idle("text", "-C --cpu-mask"),
  repack: idle("switch", "--repack", { ...env("REPACK"), ...off("-nr", "--no-repack") }),
  threadsBatch: idle("integer", "-tb --threads-batch"),
  splitMode: idle("text", "-sm --split-mode", { ...env("SPLIT_MODE"), oneOf: ["none", "layer", "row", "tensor"] }),
  tensorSplit: idle("text", "-ts --tensor-split", env("TENSOR_SPLIT")),
  mainGpu: idle("integer", "-mg --main-gpu", env("MAIN_GPU")),
  contBatching: idle("switch", "-cb --cont-batching", {
    ...env("CONT_BATCHING"),
    ...off("-nocb", "--no-cont-batching"),
  }),
  keep: idle("integer", "--keep"),
  cpuRange: idle("text", "-Cr --cpu-range"),
  cpuStrict: idle("integer", "--cpu-strict"),
  prio: idle("integer", "--prio"),
  poll: idle("integer", "--poll"),
  perf: idle("switch", "--perf", { ...env("PERF"), ...off("--no-perf") }),
  escape: idle("switch", "-e --escape", off("--no-escape")),
  kvOffload: idle("switch", "-kvo --kv-offload", { ...env("KV_OFFLOAD"), ...off("-nkvo", "--no-kv-offload") }),
  kvUnified: idle("switch", "-kvu --kv-unified", { ...env("KV_UNIFIED"), ...off("-no-kvu", "--no-kv-unified") }),
  noHost: idle("switch", "--no-host", env("NO_HOST")),
  defragThold: idle("number", "-dt --defrag-thold", env("DEFRAG_THOLD")),
  loadMode: idle("text", "-lm --load-mode", env("LOAD_MODE")),
  numa: idle("text", "--numa", env("NUMA")),
  cpuMoeAll: idle("switch", "-cmoe --cpu-moe", env("CPU_MOE")),
  overrideTensor: idle("text", "-ot --override-tensor", { ...env("OVERRIDE_TENSOR"), many: true }),
  fit: idle("on-off", "-fit --fit", env("FIT")),
  fitTarget: idle("text", "-fitt --fit-target", env("FIT_TARGET")),
  fitCtx: idle("integer", "-fitc --fit-ctx", env("FIT_CTX")),
  checkTensors: idle("switch", "--check-tensors"),
  opOffload: idle("switch", "--op-offload", off("--no-op-offload")),
  samplers: idle("text", "--samplers"),
  samplerSeq: idle("text", "--sampler-seq --sampling-seq"),
  dynatempRange: idle("number", "--dynatemp-range"),
  dynatempExp: idle("number", "--dynatemp-exp"),
  ctxCheckpoints: idle("integer", "-ctxcp --ctx-checkpoints --swa-checkpoints", env("CTX_CHECKPOINTS")),
  cacheRam: idle("integer", "-cram --cache-ram", env("CACHE_RAM")),
  cacheReuse: idle("integer", "--cache-reuse", env("CACHE_REUSE")),
  contextShift: idle("switch", "--context-shift", { ...env("CONTEXT_SHIFT"), ...off("--no-context-shift") }),
  special: idle("switch", "-sp --special"),
  warmup: idle("switch", "--warmup", off("--no-warmup")),
  mmprojAuto: idle("switch", "--mmproj-auto", { ...env("MMPROJ_AUTO"), ...off("--no-mmproj", "--no-mmproj-auto") }),
  mmprojOffload: idle("switch", "--mmproj-offload", { ...env("MMPROJ_OFFLOAD"), ...off("--no-mmproj-offload") }),
  ui: idle("switch", "--ui --webui", { ...env("UI"), ...off("--no-ui", "--no-webui") }),
  threadsHttp: idle("integer", "--threads-http", env("THREADS_HTTP")),
  ssePing: idle("integer", "--sse-ping-interval", env("SSE_PING_INTERVAL")),
  slotPromptSimilarity: idle("number", "-sps --slot-prompt-similarity"),
  prefillAssistant: row("switch", "--prefill-assistant", {
    ...env("PREFILL_ASSISTANT"),
    ...off("--no-prefill-assistant"),
  }),
  offline: idle("switch", "--offline", env("OFFLINE")),
  logDisable: idle("switch", "--log-disable"),
  logFile: idle("text", "--log-file"),
  logColors: idle("on-off", "--log-colors"),
  logVerbosity: idle("integer", "-lv --verbosity --log-verbosity"),
  logPrefix: idle("switch", "--log-prefix", off("--no-log-prefix")),
  logTimestamps: idle("switch", "--log-timestamps", off("--no-log-timestamps")),

  draft: row("text", "-md --model-draft --spec-draft-model", env("SPEC_DRAFT_MODEL")),
  specType: row("text", "--spec-type", {
    ...env("SPEC_TYPE"),
    // Speculation changes how fast an answer is generated, never which. These need parts of llama.cpp that the binding lacks.
    idleValues: ["draft-eagle3", "draft-mtp", "draft-dflash", "draft-dspark"],
  }),
  specMax: row("integer", "--spec-draft-n-max --draft --draft-n --draft-max", env("SPEC_DRAFT_N_MAX")),
  specMin: row("integer", "--spec-draft-n-min --draft-min --draft-n-min", env("SPEC_DRAFT_N_MIN")),
  specChance: row("number", "--spec-draft-p-min --draft-p-min", env("SPEC_DRAFT_P_MIN")),
  specSplit: idle("number", "--spec-draft-p-split --draft-p-split", env("SPEC_DRAFT_P_SPLIT")),
  specLayers: row(
    "layers",
    "-ngld --gpu-layers-draft --n-gpu-layers-draft --spec-draft-ngl",
    env("N_GPU_LAYERS_DRAFT"),
  ),
  cpuMaskBatch: idle("text", "-Cb --cpu-mask-batch"),
  cpuRangeBatch: idle("text", "-Crb --cpu-range-batch"),
  cpuStrictBatch: idle("integer", "--cpu-strict-batch"),
  prioBatch: idle("integer", "--prio-batch"),
  pollBatch: idle("integer", "--poll-batch"),
  lazyMode: idle("text", "-lzm --lazy-mode", env("LAZY_MODE")),
  cpuFfn: idle("integer", "-ncffn --n-cpu-ffn", env("N_CPU_FFN")),
  moeCache: idle("integer", "--moe-cache-mib", env("MOE_CACHE_MIB")),
  kvPerSlot: idle("integer", "--kv-unified-per-slot", env("KV_UNIFIED_PER_SLOT")),
  checkpointStep: idle("integer", "-cms --checkpoint-min-step", env("CHECKPOINT_MIN_SPACING_NT")),
  cacheIdleSlots: idle("switch", "--cache-idle-slots", { ...env("CACHE_IDLE_SLOTS"), ...off("--no-cache-idle-slots") }),
  backendSampling: idle("switch", "-bs --backend-sampling", env("BACKEND_SAMPLING")),
  adaptiveTarget: idle("number", "--adaptive-target"),
  adaptiveDecay: idle("number", "--adaptive-decay"),
  reversePrompt: idle("text", "-r --reverse-prompt"),
  imageMinTokens: idle("integer", "--image-min-tokens", env("IMAGE_MIN_TOKENS")),
  imageMaxTokens: idle("integer", "--image-max-tokens", env("IMAGE_MAX_TOKENS")),
  mmprojDevice: idle("text", "-mmdev --mmproj-device"),
  reusePort: idle("switch", "--reuse-port", env("REUSE_PORT")),
  staticPath: idle("text", "--path", env("STATIC_PATH")),
  uiConfig: idle("text", "--ui-config --webui-config", env("UI_CONFIG")),
  slotSavePath: idle("text", "--slot-save-path", env("SLOT_SAVE_PATH")),
  sleepIdle: idle("integer", "--sleep-idle-seconds"),
  reasoningEffort: idle("text", "--reasoning-effort", env("REASONING_EFFORT")),
  reasoningPreserve: idle("switch", "--reasoning-preserve", {
    ...env("REASONING_PRESERVE"),
    ...off("--no-reasoning-preserve"),
  }),
  skipChatParsing: idle("switch", "--skip-chat-parsing", {
    ...env("SKIP_CHAT_PARSING"),
    ...off("--no-skip-chat-parsing"),
  }),
  logJsonl: idle("switch", "--log-jsonl", off("--no-log-jsonl")),

  controlVector: row("text", "--control-vector --control-vector-scaled", {
    many: true,
    refused: "control vectors need llama-server",
  }),
  loraLater: row("switch", "--lora-init-without-apply"),
  yarn: row("number", "--yarn-ext-factor --yarn-attn-factor --yarn-beta-slow --yarn-beta-fast", {
    refused: "the native binding reads it from the model; set it there with --override-kv",
  }),
  modelsDir: row("text", "--models-dir --models-preset", { refused: "one process serves one model" }),
  mmprojUrl: row("text", "-mmu --mmproj-url", {
    ...env("MMPROJ_URL"),
    refused: "download the projector first and pass --mmproj",
  }),
  jsonSchema: row("text", "-j --json-schema -jf --json-schema-file", { refused: "pass the schema with the request" }),
  loadUrl: row("text", "-mu --model-url", {
    ...env("MODEL_URL"),
    refused: "download the model first and pass --model",
  }),
  hfRepo: row("text", "-hf -hfr --hf-repo", {
    ...env("HF_REPO"),
    refused: "download the model first and pass --model",
  }),
  rpc: row("text", "--rpc", { ...env("RPC"), refused: "remote devices need llama-server" }),
  sslKey: row("text", "--ssl-key-file", { ...env("SSL_KEY_FILE"), refused: "put a gateway with TLS in front" }),
  sslCert: row("text", "--ssl-cert-file", { ...env("SSL_CERT_FILE"), refused: "put a gateway with TLS in front" }),
  logitBias: row("text", "-l --logit-bias", { refused: "pass logit_bias with the request" }),
} as const satisfies Record<string, FlagRow>;

export type FlagKey = keyof typeof flagRows;
