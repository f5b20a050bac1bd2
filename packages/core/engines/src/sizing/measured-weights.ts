import type { BrokenFile, ModelFacts, ModelHeader, ModelShape, SizedModel } from "@trivium/domain";
import { bool, int32, int64, list, obj, oneOf, opt, prune, type Static, validate } from "@trivium/schema";
import { isObject, type Json } from "@trivium/std";
import { parseGgufFacts } from "../model-files/gguf-facts.ts";

const attention = obj("Layers that keep the same state", {
  kind: oneOf("What these layers keep of the tokens", ["full", "window", "latent", "recurrent"]),
  layers: int32("Number of layers"),
  kvHeads: opt(int32("Key-value heads")),
  keyLength: opt(int32("Length of a key")),
  valueLength: opt(int32("Length of a value")),
  window: opt(int32("Number of tokens that a window keeps")),
  length: opt(int32("Length of the compressed vector of a token")),
  elements: opt(int64("Numbers in the state of one layer")),
});

const shape = obj("Dimensions of the model", {
  layers: int32("Number of layers"),
  hiddenSize: int32("Hidden size"),
  heads: int32("Number of attention heads"),
  attention: list("Attention, by groups of layers", attention),
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

/** What an object of any API keeps of the files of a model, so that they are read once: fields of a status. */
export const measuredWeightsFields = {
  tensorBytes: opt(int64("Size of the tensors in bytes")),
  parameters: opt(int64("Number of parameters")),
  blockBytes: opt(list("Size of each layer in bytes, where the file tells", int64(""))),
  shape: opt(shape),
} as const;

const measuredWeights = obj("Sizes that the memory of a service is computed from", measuredWeightsFields);
export type MeasuredWeights = Static<typeof measuredWeights>;

/** What the header of one file tells; of other formats than GGUF it has no measures. */
export function measureHeader(header: ModelHeader | BrokenFile): MeasuredWeights {
  return header.format === "gguf" ? measureWeights(parseGgufFacts(header), header) : {};
}

/** The same of facts that a configuration beside the files completes. */
export function measureWeights(facts: ModelFacts, header: ModelHeader | undefined): MeasuredWeights {
  const { shape: found, parameters } = facts;
  const { tensors } = header ?? {};
  return {
    ...(tensors === undefined ? {} : { tensorBytes: tensors.bytes }),
    ...(parameters === undefined ? {} : { parameters: parameters.count }),
    ...(tensors === undefined || tensors.blockBytes.length === 0 ? {} : { blockBytes: [...tensors.blockBytes] }),
    ...(found === undefined ? {} : { shape: { ...found, attention: [...found.attention] } }),
  };
}

/** Nothing for what has another form: annotations and ConfigMaps can be written by others. */
export function parseMeasuredWeights(value: Json | undefined): MeasuredWeights | undefined {
  if (!isObject(value) || validate(measuredWeights, value).length > 0) return undefined;
  const weights = structuredClone(value);
  prune(measuredWeights, weights);
  return hasPlausibleShape(weights as MeasuredWeights) ? (weights as MeasuredWeights) : undefined;
}

/** The measures of each kind of attention: a sum over others would be no number. */
const attentionMeasures = {
  full: ["kvHeads", "keyLength", "valueLength"],
  window: ["kvHeads", "keyLength", "valueLength", "window"],
  latent: ["length"],
  recurrent: ["elements"],
} as const;

const hasPlausibleShape = ({ shape: found, blockBytes = [] }: MeasuredWeights): boolean =>
  blockBytes.every((bytes) => bytes >= 0) &&
  (found === undefined ||
    (found.layers >= 1 &&
      found.hiddenSize >= 1 &&
      found.heads >= 0 &&
      found.attention.every(
        (group) => group.layers >= 0 && attentionMeasures[group.kind].every((name) => (group[name] ?? -1) >= 0),
      )));

/** The measures as the sizing takes them. */
export function sizedModelOf({
  shape: found,
  blockBytes,
  parameters,
}: MeasuredWeights): Omit<SizedModel, "weightBytes"> {
  return {
    ...(found === undefined ? {} : { shape: found as ModelShape }),
    ...(blockBytes === undefined ? {} : { tensors: { blockBytes } }),
    ...(parameters === undefined ? {} : { parameters }),
  };
}
