export * from "./download-progress.ts";
export * from "./gguf-file-type.ts";
export type {
  ArtifactReading,
  ArtifactReport,
  ArtifactSource,
  DownloadPermit,
  SecretEntry,
  SecretVariables,
  WantedArtifact,
} from "./held-artifact.ts";
export * from "./local-root.ts";
export type {
  AdapterFacts,
  DiffusionPipeline,
  GgufSummary,
  ModelCapability,
  ModelFacts,
  ParameterCount,
  TokenizerFacts,
  WeightQuantization,
} from "./model-facts.ts";
export type {
  GgufHeader,
  MetadataScalar,
  MetadataValue,
  ModelHeader,
  SafetensorsHeader,
  TensorShare,
  TensorTotals,
} from "./model-header.ts";
export type { AttentionGroup, Experts, ModelShape } from "./model-shape.ts";
export * from "./preparation.ts";
export type {
  ImagePlace,
  ImageReport,
  RegistryFault,
  RegistryRefusal,
  RegistrySecrets,
  RepositoriesPlace,
  RepositoryReport,
  TagReport,
} from "./registry-report.ts";
export { ggmlTypes, safetensorsTypes } from "./tensor-type.ts";
