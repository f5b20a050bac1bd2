/** A BenchmarkJob has no conditions; what is the matter is in its state, its failure message and events. */
export const benchmarkVocabulary = {
  conditions: {},
  notes: [
    "BenchmarkStarted",
    "BenchmarkCompleted",
    "BenchmarkFailed",
    "InvalidConfiguration",
    "InvalidSpec",
    "InferenceServiceNotFound",
    "InferenceServiceNotReady",
    "ModelNameUnknown",
    "OutputClaimNotFound",
    "PlainCredentials",
    "PodNotRunning",
  ],
} as const;

export type BenchmarkReason = (typeof benchmarkVocabulary.notes)[number];
