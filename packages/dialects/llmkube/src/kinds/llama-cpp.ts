import { bool, int32, list, num, obj, oneOf, opt, type SchemaOf, str } from "@trivium/schema";

const CACHE_TYPES = ["f16", "f32", "q8_0", "q4_0", "q4_1", "q5_0", "q5_1", "iq4_nl"] as const;

const RopeScaling = obj("Stretches the context beyond what the model was trained for", {
  type: oneOf("Method", ["linear", "yarn", "longrope"]),
  factor: opt(str("How many times longer, as a decimal number: `4`, `2.5`", { pattern: "^[0-9]+(\\.[0-9]+)?$" })),
  originalContext: opt(int32("Context the model was trained for, in tokens; for `yarn`", { minimum: 128 })),
});

const SpeculativeDecoding = obj(
  "Guesses several tokens ahead and lets the model check them at once",
  {
    type: oneOf(
      "Who guesses: a `draft…` model, the model itself (`mtp`, `draft-mtp`), or the text so far (`ngram-…`). `draft` means `draft-simple`, `mtp` means `draft-mtp`; `none` and `disabled` switch it off",
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
    draftModelRef: opt(str("Model object in this namespace that guesses")),
    draftModel: opt(str("File that guesses, one of `files` of the Model served", { minLength: 1, maxLength: 253 })),
    nDraftMax: opt(int32("Most tokens to guess at a time", { minimum: 1 })),
    pMin: opt(num("Least probability at which a guess is kept", { minimum: 0, maximum: 1 })),
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
  contextSize: opt(int32("Tokens of context, shared by all parallel slots", { minimum: 128, maximum: 2097152 })),
  ropeScaling: opt(RopeScaling),
  parallelSlots: opt(int32("Requests answered at the same time", { minimum: 1, maximum: 64 })),
  flashAttention: opt(bool("Uses flash attention where there is a GPU")),
  jinja: opt(bool("Renders the chat template with Jinja, as tool calls need")),
  cacheTypeK: opt(oneOf("Number format of the keys in the KV cache", CACHE_TYPES)),
  cacheTypeV: opt(oneOf("Number format of the values in the KV cache", CACHE_TYPES)),
  cacheTypeCustomK: opt(str("Format of the keys for engine builds that know others; wins over `cacheTypeK`")),
  cacheTypeCustomV: opt(str("Format of the values for engine builds that know others; wins over `cacheTypeV`")),
  moeCPUOffload: opt(bool("Keeps all expert weights of a mixture-of-experts model in host memory")),
  moeCPULayers: opt(int32("Keeps the expert weights of this many layers in host memory", { minimum: 0 })),
  noKvOffload: opt(bool("Keeps the KV cache in host memory")),
  noWarmup: opt(bool("Skips the empty run at start")),
  tensorOverrides: opt(list("Places single tensors, as `pattern=buffer type`", str(""))),
  metadataOverrides: opt(list("Replaces values of the GGUF header, as `key=type:value`", str(""))),
  batchSize: opt(int32("Tokens of a prompt handed over at a time", { minimum: 1, maximum: 16384 })),
  uBatchSize: opt(int32("Tokens of a prompt computed at a time", { minimum: 1 })),
  speculativeDecoding: opt(SpeculativeDecoding),
  reasoningBudget: opt(int32("Most tokens a reasoning model may think; 0 means not at all", { minimum: 0 })),
  reasoningBudgetMessage: opt(str("Text given to the model when that budget is spent")),
  extraArgs: opt(list("More arguments for the engine; they win over those made from other fields", str(""))),
};

/** What only oMLX under the Metal agent understands. */
export const omlx = {
  turboQuantBits: opt(int32("Bits of the compressed KV cache in oMLX", { enum: [3, 6, 8] }) as SchemaOf<3 | 6 | 8>),
  pagedSSDCacheDir: opt(str("Directory on the Mac for the part of oMLX's cache that lies on disk")),
  hotCacheMaxSize: opt(str("Most memory for oMLX's cache, such as `8GB`")),
  pagedSSDCacheMaxSize: opt(str("Most disk for oMLX's cache, such as `100GB`")),
};
