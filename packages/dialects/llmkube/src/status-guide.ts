import type { AnyObject } from "@trivium/kube";
import {
  claimOf,
  type Meaning,
  type ReasonOf,
  type Relation,
  type SameWords,
  type StatusGuide,
} from "@trivium/reconcile";
import type { InferenceService } from "./kinds/inference-service.ts";
import type { LoRAAdapter } from "./kinds/lora-adapter.ts";
import type { Model } from "./kinds/model.ts";
import type { adapterVocabulary, modelVocabulary, serviceVocabulary } from "./reasons.ts";

const reasons = {
  action: [
    "ApplyFailed",
    "CUDADriverInsufficient",
    "CacheBudgetExceeded",
    "CacheClaimNotFound",
    "CacheClaimTooSmall",
    "CopyFailed",
    "DoesNotFit",
    "DownloadFailed",
    "EngineCrashed",
    "Evicted",
    "Failed",
    "FieldsIgnored",
    "FileUnreadable",
    "FilesNeeded",
    "CanaryNameTaken",
    "CanaryNotAvailable",
    "CanaryUnsupported",
    "GPUQuotaExceeded",
    "GatewayAPINotInstalled",
    "GatewayCRDsNotInstalled",
    "ImageUnavailable",
    "InsufficientGPU",
    "IntegrityCheckFailed",
    "InvalidAnnotation",
    "InvalidFileSet",
    "InvalidModelFile",
    "InvalidPath",
    "InvalidSource",
    "InvalidSpec",
    "ModelFailed",
    "ModelNotFound",
    "ModelNotListed",
    "ModelSourceNotFound",
    "ModelSourceUnauthorized",
    "ModelSourceUnreachable",
    "ModelSourceUntrusted",
    "ModelTransferFailed",
    "ModelTransferOutOfSpace",
    "NameTaken",
    "NoNodeFits",
    "NotAccelerated",
    "OtherNamespace",
    "OutOfMemory",
    "PVCNotFound",
    "PodRefused",
    "PodsCrashLooping",
    "ProbeFailed",
    "ReconcileFailed",
    "Refused",
    "RouteRefused",
    "RuntimeUnsupported",
    "ServiceNotFound",
    "SourceNotAllowed",
    "SourceNotFound",
    "SourceUnauthorized",
    "SpeculativeMissingConfig",
    "SpeculativeMissingModel",
    "UnsupportedModel",
    "VolumeUnavailable",
    "WaitingForGPU",
    "WeightsUnavailable",
  ],
  progressing: [
    "CopyStarted",
    "Creating",
    "DownloadRetrying",
    "DownloadStarted",
    "Evicting",
    "FetchingWeights",
    "IdleCheckFailed",
    "LifetimeExceeded",
    "NoReadyReplicas",
    "NotReady",
    "PVCNotBound",
    "Pending",
    "PodsBusy",
    "RollingOut",
    "RoutePending",
    "Superseded",
    "Waiting",
  ],
  idle: ["ManuallyScaledToZero", "ScaledToZeroWhenIdle", "Suspended"],
  fine: [
    "AcceleratorDiffers",
    "AdapterAccepted",
    "AsWritten",
    "CPUOffloadUnverified",
    "Cached",
    "CanaryServes",
    "ConfigValid",
    "DigestNotEnforced",
    "Fits",
    "IdleCheckUnsupported",
    "IdleTimeoutExceeded",
    "InSync",
    "InferenceReady",
    "IntegrationDisabled",
    "LayerSplitIgnored",
    "Loaded",
    "MemoryFractionIgnored",
    "MetalAgentManaged",
    "ModelReady",
    "ModelTransferSucceeded",
    "NoScalingMetric",
    "NotSuspended",
    "PVCModelReady",
    "PartiallyReady",
    "PartlyOnGPU",
    "PipelineFallback",
    "PodsIdle",
    "QuantizationDiffers",
    "RouteAccepted",
    "RuntimeResolved",
    "RuntimeStarted",
    "SpeculativeAcceptThresholdUnused",
    "TightFit",
    "UpstreamChanged",
    "WeightsEvicted",
    "WorkloadResolved",
  ],
} as const satisfies Record<Meaning, readonly string[]>;

type Listed = (typeof reasons)[Meaning][number];
type Reason =
  | ReasonOf<typeof adapterVocabulary>
  | ReasonOf<typeof modelVocabulary>
  | ReasonOf<typeof serviceVocabulary>;
/** A reason that has no meaning here does not compile, and neither does a meaning without a reason. */
const everyReason: SameWords<Reason, Listed> = true;

export const statusGuide: StatusGuide = {
  summary: "Available",
  causes: ["Degraded", "Progressing"],
  faults: ["Degraded", "PodRecycling", "RolloutDeferred", "SourceDrifted", "Suspended"],
  steps: ["Available", "Progressing"],
  meanings: everyReason && { ...reasons, idle: [...reasons.idle, "Stopped"] },
  uses,
  models: ["Model"],
};

function uses(object: AnyObject): readonly Relation[] {
  const { namespace } = object.metadata;
  const { modelRef } = (object as unknown as Partial<InferenceService>).spec ?? {};
  if (object.kind === "LoRAAdapter") {
    const { spec } = object as unknown as Partial<LoRAAdapter>;
    const name = spec?.inferenceServiceRef?.name;
    return name ? [{ kinds: ["InferenceService"], name, namespace }] : [];
  }
  if (object.kind === "Model") return claimOf((object as unknown as Partial<Model>).spec?.source ?? "", namespace);
  return object.kind === "InferenceService" && typeof modelRef === "string" && modelRef !== ""
    ? [{ kinds: ["Model"], name: modelRef, namespace }]
    : [];
}
