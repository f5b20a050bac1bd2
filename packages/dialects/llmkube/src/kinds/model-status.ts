import { bool, int32, int64, list, obj, oneOf, opt, str, time } from "@trivium/schema";
import { conditions } from "./conditions.ts";
import { Download } from "./download.ts";
import { maybe } from "./nullable.ts";

const Gguf = obj("Metadata of the GGUF file", {
  architecture: maybe(str("Model architecture, such as `llama`, `qwen3` or `phi3`")),
  modelName: maybe(str("Name of the model in the file")),
  quantization: maybe(str("Quantization of the file, such as `Q4_K_M`")),
  license: maybe(str("SPDX identifier of the license")),
  contextLength: maybe(int64("Context length that the model was trained for, in tokens")),
  embeddingSize: maybe(int64("Embedding size")),
  layerCount: maybe(int64("Number of transformer layers")),
  headCount: maybe(int64("Number of attention heads")),
  tensorCount: maybe(int64("Number of tensors in the file")),
  fileVersion: maybe(int32("Version of the GGUF format")),
});

const Attention = obj("Layers that keep the same state", {
  kind: oneOf("What these layers keep of the tokens", ["full", "window", "latent", "recurrent"]),
  layers: int32("Number of layers"),
  kvHeads: opt(int32("Key-value heads")),
  keyLength: opt(int32("Length of a key")),
  valueLength: opt(int32("Length of a value")),
  window: opt(int32("Number of tokens that a window keeps")),
  length: opt(int32("Length of the compressed vector of a token")),
  elements: opt(int64("Numbers in the state of one layer")),
});

const Shape = obj("Dimensions of the model", {
  layers: int32("Number of layers"),
  hiddenSize: int32("Hidden size"),
  heads: int32("Number of attention heads"),
  attention: list("Attention, by groups of layers", Attention),
  contextLength: opt(int64("Context length that the model was trained for, in tokens")),
  vocabularySize: opt(int64("Size of the vocabulary")),
  intermediateSize: opt(int64("Size of the feed-forward layers")),
  experts: opt(
    obj("Experts", {
      count: int32("Number of experts"),
      used: opt(int32("Number of experts for one token")),
      intermediateSize: opt(int64("Size of one expert")),
      shared: opt(int32("Number of shared experts")),
    }),
  ),
  sharesEmbeddings: opt(bool("Whether input and output share their embeddings")),
});

const Weights = obj("Sizes that the memory and the cache space of a service are computed from", {
  bytes: opt(int64("Size of all files in bytes")),
  tensorBytes: opt(int64("Size of the tensors in bytes")),
  parameters: opt(int64("Number of parameters")),
  blockBytes: opt(list("Size of each layer in bytes, where the file tells", int64(""))),
  shape: opt(Shape),
});

const Cache = obj("Weights in the shared model cache, where a budget limits its size", {
  state: oneOf(
    "`Waiting` and `Refused`: no space; `Granted`: can be downloaded; `Evicting`, `Evicted`: deleted to free space",
    ["Waiting", "Refused", "Granted", "Cached", "Evicting", "Evicted"],
  ),
  message: opt(str("Explanation of `state`")),
});

export const ModelStatus = obj("Observed state of the Model", {
  phase: opt(
    oneOf(
      "Phase of the Model: `Pending`, `Downloading`, `Copying`, `Ready` or `Failed`",
      ["Pending", "Downloading", "Copying", "Ready", "Failed"],
      { nullable: true },
    ),
  ),
  size: maybe(str("Size of the model file for people, such as `5.0 GiB`")),
  path: maybe(str("Path of the file; not set if the serving pod downloads it")),
  cacheKey: maybe(str("Directory of the model in the cache; Models with the same source share it")),
  sha256: maybe(str("SHA-256 digest of the downloaded file")),
  stagedFiles: maybe(
    list("Files in the cache if `spec.files` or `spec.mmproj` is set, the primary file first", str("")),
  ),
  sourceETag: maybe(str("ETag of the source at the last comparison")),
  sourceContentLength: maybe(int64("Size of the source in bytes at the last comparison")),
  lastRevalidated: maybe(time("Time when the cached file was last compared with its source")),
  lastUpdated: maybe(time("Time when this status last changed")),
  acceleratorReady: maybe(bool("Whether a node of the cluster provides the requested accelerator")),
  gguf: maybe(Gguf),
  weights: maybe(Weights),
  cache: maybe(Cache),
  download: opt(Download),
  conditions: maybe(
    conditions(
      "Conditions of the Model, one for each type. `Available`: it can be used; `Progressing`: it is being downloaded; `Degraded`: downloading or preparing it failed; `SourceDrifted`: the source differs from the cached file",
    ),
  ),
});
