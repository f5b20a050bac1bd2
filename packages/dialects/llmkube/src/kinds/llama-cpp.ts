import { bool, int32, list, num, obj, oneOf, opt, type SchemaOf, str } from "@trivium/schema";

const CACHE_TYPES = ["f16", "f32", "q8_0", "q4_0", "q4_1", "q5_0", "q5_1", "iq4_nl"] as const;

const RopeScaling = obj("RoPE scaling: extends the context beyond the length that the model was trained for", {
  type: oneOf("Scaling method", ["linear", "yarn", "longrope"]),
  factor: opt(str("Scaling factor as a decimal number, such as `4` or `2.5`", { pattern: "^[0-9]+(\\.[0-9]+)?$" })),
  originalContext: opt(int32("Context length that the model was trained for, in tokens; for `yarn`", { minimum: 128 })),
});

const SpeculativeDecoding = obj(
  "Speculative decoding: drafts several tokens ahead, and the model verifies them in one step",
  {
    type: oneOf(
      "Source of the draft tokens: a `draft…` model, the model itself (`mtp`, `draft-mtp`), or the text so far (`ngram-…`). `draft` means `draft-simple`, `mtp` means `draft-mtp`; `none` and `disabled` turn it off",
      [
        "none",
        "disabled",
        "mtp",
        "draft",
        "draft-simple",
        "draft-eagle3",
        "draft-mtp",
        "draft-dflash",
        "draft-dspark",
        "ngram-simple",
        "ngram-map-k",
        "ngram-map-k4v",
        "ngram-mod",
        "ngram-cache",
      ],
    ),
    draftModelRef: opt(str("Draft Model in this namespace")),
    draftModel: opt(
      str("File of the draft model, one of `files` of the served Model", { minLength: 1, maxLength: 253 }),
    ),
    nDraftMax: opt(int32("Maximum number of tokens to draft in each step", { minimum: 1 })),
    pMin: opt(num("Minimum probability at which a draft token is kept", { minimum: 0, maximum: 1 })),
  },
  {
    rules: [
      {
        rule: "!(self.type in ['draft', 'draft-simple', 'draft-eagle3', 'draft-dflash', 'draft-dspark']) || (has(self.draftModelRef) && self.draftModelRef != '') || has(self.draftModel)",
        message: "this type needs draftModelRef (a Model in this namespace) or draftModel (a file of the Model)",
      },
      {
        rule: "self.type in ['draft', 'draft-simple', 'draft-eagle3', 'draft-mtp', 'draft-dflash', 'draft-dspark'] || !((has(self.draftModelRef) && self.draftModelRef != '') || has(self.draftModel))",
        message:
          "draftModelRef and draftModel are only valid for draft, draft-simple, draft-eagle3, draft-mtp, draft-dflash and draft-dspark",
      },
      {
        rule: "!(has(self.draftModelRef) && self.draftModelRef != '' && has(self.draftModel))",
        message: "set only one of draftModelRef and draftModel",
      },
    ],
  },
);

/** What llama.cpp can be told; other engines take the few of these that they know too. */
export const llamaCpp = {
  contextSize: opt(int32("Context size in tokens, shared by all parallel slots", { minimum: 128, maximum: 2097152 })),
  ropeScaling: opt(RopeScaling),
  parallelSlots: opt(int32("Number of requests processed in parallel", { minimum: 1, maximum: 64 })),
  flashAttention: opt(bool("Enables flash attention on GPUs")),
  jinja: opt(bool("Renders the chat template with Jinja; required for tool calls")),
  cacheTypeK: opt(oneOf("Data type of the keys in the KV cache", CACHE_TYPES)),
  cacheTypeV: opt(oneOf("Data type of the values in the KV cache", CACHE_TYPES)),
  cacheTypeCustomK: opt(
    str("Data type of the keys for engine builds that support others; takes precedence over `cacheTypeK`"),
  ),
  cacheTypeCustomV: opt(
    str("Data type of the values for engine builds that support others; takes precedence over `cacheTypeV`"),
  ),
  moeCPUOffload: opt(bool("Keeps all expert weights of a mixture-of-experts model in host memory")),
  moeCPULayers: opt(int32("Keeps the expert weights of this many layers in host memory", { minimum: 0 })),
  noKvOffload: opt(bool("Keeps the KV cache in host memory")),
  noWarmup: opt(bool("Skips the warmup run at startup")),
  tensorOverrides: opt(list("Buffer types of individual tensors, as `pattern=buffer type`", str(""))),
  metadataOverrides: opt(list("Overrides of GGUF metadata, as `key=type:value`", str(""))),
  batchSize: opt(int32("Logical batch size in tokens", { minimum: 1, maximum: 16384 })),
  uBatchSize: opt(int32("Physical batch size in tokens", { minimum: 1 })),
  speculativeDecoding: opt(SpeculativeDecoding),
  reasoningBudget: opt(int32("Maximum number of reasoning tokens; 0 disables reasoning", { minimum: 0 })),
  reasoningBudgetMessage: opt(str("Text that is inserted when the reasoning budget is used up")),
  extraArgs: opt(
    list("Additional arguments for the engine; they take precedence over arguments from other fields", str("")),
  ),
};

/** What only oMLX under the Metal agent understands. */
export const omlx = {
  turboQuantBits: opt(
    int32("Bits per value of the compressed KV cache of oMLX", { enum: [3, 6, 8] }) as SchemaOf<3 | 6 | 8>,
  ),
  pagedSSDCacheDir: opt(str("Directory on the Mac for the on-disk part of the oMLX cache")),
  hotCacheMaxSize: opt(str("Maximum memory for the oMLX cache, such as `8GB`")),
  pagedSSDCacheMaxSize: opt(str("Maximum disk space for the oMLX cache, such as `100GB`")),
};
