import { bool, int32, int64, list, obj, oneOf, opt, str, time } from "@trivium/schema";
import { conditions } from "./conditions.ts";
import { maybe } from "./nullable.ts";

const Gguf = obj("What the header of the GGUF file says", {
  architecture: maybe(str("Family of the network: `llama`, `qwen3`, `phi3` …")),
  modelName: maybe(str("Name of the model inside the file")),
  quantization: maybe(str("Quantization of the file, such as `Q4_K_M`")),
  license: maybe(str("Licence identifier, in its usual short form")),
  contextLength: maybe(int64("Longest context the model was trained for, in tokens")),
  embeddingSize: maybe(int64("Width of an embedding vector")),
  layerCount: maybe(int64("Number of transformer layers")),
  headCount: maybe(int64("Number of attention heads")),
  tensorCount: maybe(int64("Number of tensors in the file")),
  fileVersion: maybe(int32("Version of the GGUF format")),
});

export const ModelStatus = obj("What has become of the model", {
  phase: opt(
    oneOf(
      "Where the model is in its life: `Pending`, `Downloading`, `Copying`, `Ready` or `Failed`",
      ["Pending", "Downloading", "Copying", "Ready", "Failed"],
      { nullable: true },
    ),
  ),
  size: maybe(str("Size of the model file for people, such as `5.0 GiB`")),
  path: maybe(str("Where the file lies; not set when the serving pod fetches it itself")),
  cacheKey: maybe(str("Directory of the model in the cache. Models with the same source share it")),
  sha256: maybe(str("SHA-256 digest of the file that was fetched")),
  stagedFiles: maybe(
    list(
      "Files that were put into the cache when `spec.files` or `spec.mmproj` is set: the primary file first",
      str(""),
    ),
  ),
  sourceETag: maybe(str("ETag of the source when it was last compared")),
  sourceContentLength: maybe(int64("Size of the source in bytes when it was last compared")),
  lastRevalidated: maybe(time("When the cached file was last compared with its source")),
  lastUpdated: maybe(time("When this status last changed")),
  acceleratorReady: maybe(bool("Whether some node of the cluster offers the accelerator asked for")),
  gguf: maybe(Gguf),
  conditions: maybe(
    conditions(
      "State of the model, one entry per type. `Available`: it can be used; `Progressing`: it is being fetched; `Degraded`: fetching or preparing failed; `SourceDrifted`: the source is no longer what was cached",
    ),
  ),
});
