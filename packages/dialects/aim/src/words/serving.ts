import { templateWords } from "./catalog.ts";

/** Reasons for which a service is not further than it is; each is also the reason of an event. */
const ownReasons = [
  "Resolved",
  "RuntimeReady",
  "ModelResolutionFailed",
  "MultipleModelsFound",
  "InvalidImageReference",
  "ImageNotFound",
  "ModelFailed",
  "ModelDegraded",
  "ModelPending",
  "ModelProgressing",
  "ModelNotReady",
  "ModelNotFound",
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
  "ImagePullAuthFailure",
  "ImagePullBackOff",
  "StorageSizeError",
  "CacheFailed",
  "CacheLost",
  "CacheCreating",
  "CacheWarming",
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
] as const;

type TemplateReason = (typeof templateWords.conditions.Failure)[number];
export type ServiceReason = (typeof ownReasons)[number] | TemplateReason;

const reasons = [...ownReasons, ...templateWords.conditions.Failure] as const;
export const isServiceReason = (word: string): word is ServiceReason => (reasons as readonly string[]).includes(word);

export const serviceWords = {
  conditions: {
    Resolved: reasons,
    CacheReady: [
      "CacheWarm",
      "CacheFailed",
      "StorageSizeError",
      "CacheLost",
      "CacheCreating",
      "CacheWarming",
      "WaitingForCache",
    ],
    CacheFailed: ["CacheFailed"],
    KVCacheReady: ["KVCacheNotRequested", "KVCacheReady", "KVCacheFailed", "KVCacheProgressing", "WaitingForKVCache"],
    RuntimeReady: reasons,
    HPAReady: [
      "HPAOperational",
      "HPANotFound",
      "WaitingForMetrics",
      "MetricsFailed",
      "ScaleTargetNotReady",
      "AutoscalingUnavailable",
    ],
    RoutingReady: ["RouteReady", "RouteFailed", "ConfiguringRoute", "PathTemplateInvalid", "PathConflict"],
    Ready: reasons,
    Progressing: reasons,
    Failure: reasons,
  },
  notes: [
    ...reasons,
    "CachingModeConflict",
    "AutoscalingUnavailable",
    "MetricsFailed",
    "UntaggedImage",
    "DefaultRuntimeConfigNotFound",
  ],
} as const;

export const modelCacheWords = {
  conditions: {
    StorageReady: [
      "PVCPending",
      "PVCBound",
      "PVCProvisioning",
      "PVCLost",
      "StorageClassMissing",
      "WaitingForSize",
      "WaitingForRoom",
      "CacheQuotaExceeded",
    ],
    Ready: [
      "Warm",
      "WaitingForPVC",
      "Downloading",
      "MeasuringSize",
      "RetryBackoff",
      "DownloadFailed",
      "PVCLost",
      "RuntimeConfigMissing",
      "WaitingForRoom",
      "CacheQuotaExceeded",
    ],
    Progressing: [
      "WaitingForPVC",
      "Downloading",
      "MeasuringSize",
      "RetryBackoff",
      "Warm",
      "DownloadFailed",
      "PVCLost",
      "RuntimeConfigMissing",
      "WaitingForRoom",
      "CacheQuotaExceeded",
    ],
    Failure: ["NoFailure", "PVCLost", "DownloadFailed", "RuntimeConfigMissing", "CacheQuotaExceeded"],
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
      "SourceUnreachable",
      "VerificationFailed",
      "PodOOMKilled",
      "ImagePullAuthFailure",
      "ImageNotFound",
      "ImagePullBackOff",
      "FailedScheduling",
      "DownloadFailed",
      "PVCLost",
      "RuntimeConfigMissing",
      "WaitingForRoom",
      "CacheQuotaExceeded",
    ],
  },
  notes: ["DownloadJobCreated", "CacheReady", "CacheFailed", "DownloadRetry"],
} as const;

export type DownloadReason = (typeof modelCacheWords.conditions.DownloadComplete)[number];

export const templateCacheWords = {
  conditions: {
    Resolved: ["Resolved", "TemplateNotFound"],
    TemplateNotFound: ["AwaitingTemplate", "Resolved"],
    CacheWarm: ["Warm", "Warming", "Failed", "AwaitingTemplate", "TemplateNotReady", "TemplateFailed"],
    Ready: ["Warm", "Warming", "Failed", "AwaitingTemplate", "TemplateNotReady", "TemplateFailed"],
    Progressing: ["Warm", "Warming", "Failed", "AwaitingTemplate", "TemplateNotReady", "TemplateFailed"],
    Failure: ["NoFailure", "Failed", "TemplateFailed"],
  },
  notes: ["CacheReady", "CacheFailed"],
} as const;

export const kvCacheWords = {
  conditions: {
    Ready: ["StatefulSetPending", "WaitingForPods", "StatefulSetReady", "StatefulSetFailed", "SecretNotFound"],
    Progressing: [
      "StatefulSetPending",
      "WaitingForPods",
      "StatefulSetCreated",
      "StatefulSetReady",
      "StatefulSetFailed",
      "SecretNotFound",
    ],
    Failure: ["NoFailure", "StatefulSetFailed", "SecretNotFound"],
  },
  notes: ["KVCachePending", "KVCacheProgressing", "KVCacheReady", "ReconciliationFailed"],
} as const;
