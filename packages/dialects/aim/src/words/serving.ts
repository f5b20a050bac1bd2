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
    RoutingReady: ["RouteReady", "RouteFailed", "ConfiguringRoute", "PathTemplateInvalid", "PathConflict"],
    Ready: reasons,
    Progressing: reasons,
    Failure: reasons,
  },
  notes: [...reasons, "CachingModeConflict", "AutoscalingUnavailable", "UntaggedImage"],
} as const;

export const modelCacheWords = {
  conditions: {
    StorageReady: ["PVCPending", "PVCBound", "PVCProvisioning", "PVCLost", "StorageClassMissing", "WaitingForSize"],
    Ready: [
      "Warm",
      "WaitingForPVC",
      "Downloading",
      "MeasuringSize",
      "RetryBackoff",
      "DownloadFailed",
      "PVCLost",
      "RuntimeConfigMissing",
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
    ],
    Failure: ["NoFailure", "PVCLost", "DownloadFailed", "RuntimeConfigMissing"],
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
    Ready: ["StatefulSetPending", "WaitingForPods", "StatefulSetReady", "StatefulSetFailed"],
    Progressing: [
      "StatefulSetPending",
      "WaitingForPods",
      "StatefulSetCreated",
      "StatefulSetReady",
      "StatefulSetFailed",
    ],
    Failure: ["NoFailure", "StatefulSetFailed"],
  },
  notes: ["KVCachePending", "KVCacheProgressing", "KVCacheReady", "ReconciliationFailed"],
} as const;
