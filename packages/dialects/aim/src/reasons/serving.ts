import { templateVocabulary } from "./catalog.ts";

/** Those of a service that has no model yet. */
export const modelReasons = [
  "ModelResolutionFailed",
  "MultipleModelsFound",
  "InvalidImageReference",
  "ModelFailed",
  "ModelDegraded",
  "ModelPending",
  "ModelProgressing",
  "ModelNotReady",
  "ModelNotFound",
] as const;

/** Reasons for which a service is not further than it is; each is also the reason of an event. */
const ownReasons = [
  "Resolved",
  "RuntimeReady",
  ...modelReasons,
  "ImageNotFound",
  "TemplateNotFound",
  "TemplateSelectionAmbiguous",
  "TemplateNotAvailable",
  "TemplateModelMismatch",
  "TemplateDegraded",
  "RuntimeConfigMissing",
  "PathTemplateInvalid",
  "PathConflict",
  "RouteFailed",
  "ConfiguringRoute",
  "NoModelSources",
  "InvalidResources",
  "InvalidReplicas",
  "InvalidAdapters",
  "DoesNotFit",
  "ImagePullAuthFailure",
  "ImagePullBackOff",
  "StorageSizeError",
  "CacheFailed",
  "CacheLost",
  "CacheCreating",
  "CacheWarming",
  "DownloadFailing",
  "WaitingForCache",
  "KVCacheFailed",
  "KVCacheProgressing",
  "WaitingForKVCache",
  "CreatingRuntime",
  "FailedScheduling",
  "RuntimeFailed",
  "ServerlessModeRejected",
  "InternalError",
  "SecretNotInNamespace",
  "ScaledToZero",
  "ApplyFailed",
] as const;

type TemplateReason = (typeof templateVocabulary.conditions.Failure)[number];
export type ServiceReason = (typeof ownReasons)[number] | TemplateReason;

const reasons = [...ownReasons, ...templateVocabulary.conditions.Failure] as const;
export const isServiceReason = (word: string): word is ServiceReason => (reasons as readonly string[]).includes(word);

export const serviceVocabulary = {
  conditions: {
    Resolved: reasons,
    CacheReady: [
      "CacheWarm",
      "CacheFailed",
      "StorageSizeError",
      "CacheLost",
      "CacheCreating",
      "CacheWarming",
      "DownloadFailing",
      "WaitingForCache",
      "DoesNotFit",
      "ApplyFailed",
    ],
    CacheFailed: ["CacheFailed"],
    KVCacheReady: [
      "KVCacheNotRequested",
      "KVCacheReady",
      "KVCacheFailed",
      "KVCacheProgressing",
      "WaitingForKVCache",
      "ApplyFailed",
    ],
    Fits: ["Fits", "DoesNotFit", "TightFit"],
    SpecAccepted: ["FieldsIgnored"],
    CanaryReady: ["CanaryServes", "CanaryNotAvailable", "CanaryNameTaken", "CanaryUnsupported"],
    RuntimeReady: reasons,
    HPAReady: [
      "HPAOperational",
      "HPANotFound",
      "WaitingForMetrics",
      "MetricsFailed",
      "ScaleTargetNotReady",
      "AutoscalingUnavailable",
      "ApplyFailed",
    ],
    RoutingReady: [
      "RouteReady",
      "RouteFailed",
      "ConfiguringRoute",
      "PathTemplateInvalid",
      "PathConflict",
      "ApplyFailed",
    ],
    Ready: reasons,
    Progressing: reasons,
    Failure: reasons,
  },
  notes: [
    ...reasons,
    "CachingModeConflict",
    "AutoscalingUnavailable",
    "AutoscalingFieldIgnored",
    "MetricsFailed",
    "UntaggedImage",
    "InvalidAnnotation",
    "CanaryUnsupported",
    "DefaultRuntimeConfigNotFound",
  ],
} as const;

const cacheReasons = [
  "Warm",
  "WaitingForPVC",
  "Downloading",
  "MeasuringSize",
  "RetryBackoff",
  "DownloadFailed",
  "PVCLost",
  "PVCTooSmall",
  "RuntimeConfigMissing",
  "WaitingForRoom",
  "CacheQuotaExceeded",
  "ApplyFailed",
] as const;

export const modelCacheVocabulary = {
  conditions: {
    StorageReady: [
      "PVCPending",
      "PVCBound",
      "PVCProvisioning",
      "PVCLost",
      "PVCTooSmall",
      "StorageClassMissing",
      "InsufficientCapacity",
      "WaitingForSize",
      "WaitingForRoom",
      "CacheQuotaExceeded",
      "ApplyFailed",
    ],
    Ready: cacheReasons,
    Progressing: cacheReasons,
    Failure: [
      "NoFailure",
      "PVCLost",
      "PVCTooSmall",
      "DownloadFailed",
      "RuntimeConfigMissing",
      "CacheQuotaExceeded",
      "ApplyFailed",
    ],
    InUse: ["Mounted", "Unused"],
    DownloadComplete: [
      "Verified",
      "Downloading",
      "MeasuringSize",
      "WaitingForPVC",
      "RetryBackoff",
      "AuthError",
      "StorageFull",
      "SourceNotFound",
      "SourceNotAllowed",
      "SourceUnreachable",
      "VerificationFailed",
      "PodOOMKilled",
      "ImagePullAuthFailure",
      "ImageNotFound",
      "ImagePullBackOff",
      "FailedScheduling",
      "CreateContainerConfigError",
      "FailedMount",
      "FailedAttachVolume",
      "FailedCreatePodSandBox",
      "DownloadFailed",
      "PVCLost",
      "PVCTooSmall",
      "RuntimeConfigMissing",
      "WaitingForRoom",
      "CacheQuotaExceeded",
      "ApplyFailed",
    ],
  },
  notes: ["DownloadJobCreated", "CacheReady", "CacheFailed", "DownloadRetry"],
} as const;

export type DownloadReason = (typeof modelCacheVocabulary.conditions.DownloadComplete)[number];

const warmthReasons = [
  "Warm",
  "Warming",
  "DownloadFailing",
  "Failed",
  "AwaitingTemplate",
  "TemplateNotReady",
  "TemplateFailed",
  "ApplyFailed",
] as const;

export const templateCacheVocabulary = {
  conditions: {
    Resolved: ["Resolved", "TemplateNotFound"],
    TemplateNotFound: ["AwaitingTemplate", "Resolved"],
    CacheWarm: warmthReasons,
    Ready: warmthReasons,
    Progressing: warmthReasons,
    Failure: ["NoFailure", "Failed", "TemplateFailed", "ApplyFailed"],
  },
  notes: ["CacheReady", "CacheFailed"],
} as const;

export const kvCacheVocabulary = {
  conditions: {
    Ready: [
      "StatefulSetPending",
      "WaitingForPods",
      "StatefulSetReady",
      "StatefulSetFailed",
      "SecretNotFound",
      "ApplyFailed",
    ],
    Progressing: [
      "StatefulSetPending",
      "WaitingForPods",
      "StatefulSetCreated",
      "StatefulSetReady",
      "StatefulSetFailed",
      "SecretNotFound",
      "ApplyFailed",
    ],
    Failure: ["NoFailure", "StatefulSetFailed", "SecretNotFound", "ApplyFailed"],
  },
  notes: ["KVCachePending", "KVCacheProgressing", "KVCacheReady", "ReconciliationFailed"],
} as const;
