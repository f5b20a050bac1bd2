import { measuredWeightsFields } from "@trivium/engines";
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

const Weights = obj("Sizes that the memory and the cache space of a service are computed from", {
  bytes: opt(int64("Size of all files in bytes")),
  ...measuredWeightsFields,
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
