/** Every condition type of this dialect and the reasons it may have, and the reasons of its events. */
export const modelWords = {
  /** Models have no conditions; what is the matter is told by events. */
  conditions: {},
  notes: ["ModelReady", "ModelDownloadFailed", "InvalidStorage", "ClaimNotFound", "ClaimNotBound", "ClaimUnreadable"],
} as const;

export type ModelReason = (typeof modelWords.notes)[number];

export const serviceWords = {
  conditions: {
    Ready: [
      "Ready",
      "VirtualDeployment",
      "Initializing",
      "ComponentNotReady",
      "Waiting",
      "InvalidSpec",
      "MinimumReplicasUnavailable",
      "ComponentFailed",
      "Idle",
    ],
    IngressReady: ["IngressDisabled", "RouteCreated", "ComponentNotReady"],
    EngineReady: ["MinimumReplicasAvailable", "MinimumReplicasUnavailable", "Initializing", "ComponentFailed", "Idle"],
    DecoderReady: ["MinimumReplicasAvailable", "MinimumReplicasUnavailable", "Initializing", "ComponentFailed", "Idle"],
    RouterReady: ["MinimumReplicasAvailable", "MinimumReplicasUnavailable", "Initializing", "ComponentFailed", "Idle"],
    ModelReady: ["ModelReady", "ModelNotReady", "ModelFailed", "ModelNotFound", "ModelDisabled"],
    RuntimeResolved: ["RuntimeSelected", "RuntimeUnresolved"],
  },
  notes: [
    "InferenceServiceReady",
    "InferenceServiceNotReady",
    "ModelReconcileError",
    "RuntimeValidationError",
    "RuntimeFetchError",
    "RuntimeSelectionError",
    "MergeSpecsError",
    "DeploymentModeError",
    "ServerlessModeRejected",
    "ComponentFailed",
    "SpecNotCarriedOut",
  ],
} as const;

export type ServiceNote = (typeof serviceWords.notes)[number];
export type ServiceCondition = keyof typeof serviceWords.conditions;

export type FailureReason =
  | "BaseModelNotReady"
  | "BaseModelNotFound"
  | "BaseModelDisabled"
  | "ModelLoadFailed"
  | "RuntimeUnhealthy"
  | "RuntimeDisabled"
  | "NoSupportingRuntime"
  | "RuntimeNotRecognized"
  | "InvalidPredictorSpec";
