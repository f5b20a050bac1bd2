/** Every condition type of this dialect and the reasons it may have, and the reasons of its events. */
export const modelVocabulary = {
  conditions: {
    Ready: [
      "ModelReady",
      "ModelDownloadFailed",
      "InvalidStorage",
      "ClaimNotFound",
      "ClaimNotBound",
      "ClaimUnreadable",
      "ReadingClaim",
      "ApplyFailed",
      "Downloading",
      "WaitingForNodes",
      "NoEligibleNode",
      "DoesNotFit",
    ],
    /** Whether any node could load a model; decided before it is downloaded. */
    Fits: ["Fits", "DoesNotFit", "SizeUnknown", "MemoryUnknown", "NotChecked"],
    /** Of tuned weights only. */
    BaseModelFound: ["BaseModelFound", "BaseModelNotFound"],
  },
  notes: [
    "ModelReady",
    "ModelDownloadFailed",
    "InvalidStorage",
    "ClaimNotFound",
    "ClaimNotBound",
    "ClaimUnreadable",
    "DoesNotFit",
  ],
} as const;

export const classVocabulary = {
  conditions: { Ready: ["NodesFound", "NoMatchingNode", "NoReadyNode"] },
  notes: [],
} as const;

export type ModelReason = (typeof modelVocabulary.conditions.Ready)[number];

const componentReasons = [
  "MinimumReplicasAvailable",
  "MinimumReplicasUnavailable",
  "RevisionReady",
  "RevisionNotReady",
  "ModelNotReady",
  "ModelFailed",
  "DoesNotFit",
  "Initializing",
  "ComponentFailed",
  "Idle",
] as const;
/** Of what Knative makes of a component. */
const partReasons = ["Ready", "NotReady", "Initializing"] as const;

export const serviceVocabulary = {
  conditions: {
    Ready: [
      "Ready",
      "ServesWithoutModel",
      "VirtualDeployment",
      "Initializing",
      "ComponentNotReady",
      "ModelNotFound",
      "FineTunedWeightNotFound",
      "InvalidSpec",
      "DoesNotFit",
      "MinimumReplicasUnavailable",
      "RevisionNotReady",
      "ModelNotReady",
      "ModelFailed",
      "ComponentFailed",
      "Idle",
      "RoutePending",
      "RouteRefused",
      "IngressKindMissing",
      "InvalidIngressConfig",
    ],
    IngressReady: [
      "IngressDisabled",
      "ClusterLocal",
      "RouteTaken",
      "RoutePending",
      "RouteRefused",
      "ComponentNotReady",
      "IngressKindMissing",
      "InvalidIngressConfig",
    ],
    EngineReady: componentReasons,
    EngineRouteReady: partReasons,
    EngineConfigurationReady: partReasons,
    DecoderReady: componentReasons,
    DecoderRouteReady: partReasons,
    DecoderConfigurationReady: partReasons,
    RouterReady: componentReasons,
    RouterRouteReady: partReasons,
    RouterConfigurationReady: partReasons,
    RoutesReady: partReasons,
    LatestDeploymentReady: partReasons,
    ScalingReady: ["NotScaled"],
    CanaryReady: ["CanaryServes", "CanaryNotAvailable", "CanaryNameTaken", "CanaryUnsupported"],
    /** Only where an annotation has no effect. */
    SpecAccepted: ["FieldsIgnored"],
    ModelReady: ["ModelReady", "ModelNotReady", "ModelFailed", "DoesNotFit", "ModelNotFound", "ModelDisabled"],
    RuntimeResolved: ["RuntimeSelected", "RuntimeUnresolved"],
    /** Whether the model fits into the memory of GPUs or of the largest node. */
    Fits: ["Fits", "DoesNotFit", "TightFit", "SizeUnknown"],
  },
  notes: [
    "InferenceServiceReady",
    "InferenceServiceNotReady",
    "CanaryUnsupported",
    "ModelReconcileError",
    "RuntimeValidationError",
    "RuntimeFetchError",
    "RuntimeSelectionError",
    "MergeSpecsError",
    "AcceleratorClassError",
    "DeploymentModeError",
    "DoesNotFit",
    "ServerlessModeRejected",
    "ComponentFailed",
    "SpecNotCarriedOut",
    "InvalidConfiguration",
  ],
} as const;

export type ServiceNote = (typeof serviceVocabulary.notes)[number];
export type ServiceCondition = keyof typeof serviceVocabulary.conditions;

export type FailureReason =
  | "BaseModelNotReady"
  | "BaseModelNotFound"
  | "BaseModelDisabled"
  | "FineTunedWeightsNotFound"
  | "FineTunedWeightsDisabled"
  | "FineTuneWeightLoadFailed"
  | "ModelLoadFailed"
  | "RuntimeUnhealthy"
  | "RuntimeDisabled"
  | "NoSupportingRuntime"
  | "RuntimeNotRecognized"
  | "InvalidPredictorSpec"
  | "InvalidRouterSpec";
