import type { AnyObject } from "@trivium/kube";
import type { Meaning, ReasonOf, Relation, SameWords, StatusGuide } from "@trivium/reconcile";
import { isObject, type Json } from "@trivium/std";
import type {
  modelSourceVocabulary,
  modelVocabulary,
  runtimeConfigVocabulary,
  templateVocabulary,
} from "./reasons/catalog.ts";
import type {
  kvCacheVocabulary,
  modelCacheVocabulary,
  serviceVocabulary,
  templateCacheVocabulary,
} from "./reasons/serving.ts";

const reasons = {
  action: [
    "AllFiltersFailed",
    "AllTemplatesFailed",
    "AllTemplatesNotAvailable",
    "ApplyFailed",
    "AuthError",
    "AutoscalingUnavailable",
    "CacheFailed",
    "CacheQuotaExceeded",
    "CanaryUnsupported",
    "CreateContainerConfigError",
    "DiscoveryFailed",
    "DiscoveryParseFailed",
    "DoesNotFit",
    "DownloadFailed",
    "DownloadFailing",
    "Failed",
    "FailedAttachVolume",
    "FailedCreatePodSandBox",
    "FailedMount",
    "FailedScheduling",
    "FieldsIgnored",
    "GPUUnavailable",
    "ImageNotFound",
    "ImagePullAuthFailure",
    "ImagePullBackOff",
    "InsufficientCapacity",
    "InsufficientGPUCount",
    "InternalError",
    "Invalid",
    "InvalidAdapters",
    "InvalidImageReference",
    "InvalidReplicas",
    "InvalidResources",
    "JobFailed",
    "KVCacheFailed",
    "MetadataExtractionFailed",
    "MetadataFormatError",
    "MetadataMissingRecommendedDeployments",
    "MetricsFailed",
    "ModelDegraded",
    "ModelFailed",
    "ModelNotFound",
    "ModelResolutionFailed",
    "MultipleModelsFound",
    "NoImagesDiscovered",
    "NoModelSources",
    "NoRecommendedTemplates",
    "OperatorNamespaceMissing",
    "PVCLost",
    "PVCTooSmall",
    "PathConflict",
    "PathTemplateInvalid",
    "PodOOMKilled",
    "RouteFailed",
    "RuntimeConfigMissing",
    "RuntimeFailed",
    "SecretNotFound",
    "SecretNotInNamespace",
    "ServerlessModeRejected",
    "SomeFiltersHadErrors",
    "SomeTemplatesDegraded",
    "SourceNotAllowed",
    "SourceNotFound",
    "SourceUnreachable",
    "StatefulSetFailed",
    "StorageClassMissing",
    "StorageClassNotFound",
    "StorageFull",
    "StorageSizeError",
    "TemplateDegraded",
    "TemplateFailed",
    "TemplateModelMismatch",
    "TemplateNotFound",
    "TemplateSelectionAmbiguous",
    "Unreachable",
    "VRAMNotAvailable",
    "VerificationFailed",
    "WarmFailed",
  ],
  progressing: [
    "AutoTemplateCreationPending",
    "AwaitingDiscovery",
    "AwaitingTemplate",
    "CacheCreating",
    "CacheLost",
    "CacheWarming",
    "CanaryNameTaken",
    "CanaryNotAvailable",
    "ConfiguringRoute",
    "CreatingRuntime",
    "DiscoveryInProgress",
    "DiscoveryRetry",
    "DiscoveryRunning",
    "Downloading",
    "HPANotFound",
    "ImageUnchecked",
    "JobPending",
    "KVCacheProgressing",
    "Listing",
    "MeasuringSize",
    "ModelNotReady",
    "ModelPending",
    "ModelProgressing",
    "NotAsked",
    "PVCPending",
    "PVCProvisioning",
    "Reconciling",
    "RetryBackoff",
    "ScaleTargetNotReady",
    "StatefulSetCreated",
    "StatefulSetPending",
    "Syncing",
    "TemplateCreationPending",
    "TemplateNotAvailable",
    "TemplateNotReady",
    "TemplatesProgressing",
    "WaitingForCache",
    "WaitingForKVCache",
    "WaitingForMetrics",
    "WaitingForPVC",
    "WaitingForPods",
    "WaitingForRoom",
    "WaitingForSize",
    "WarmRequested",
    "Warming",
  ],
  idle: ["ScaledToZero"],
  fine: [
    "AllFiltersSucceeded",
    "AllTemplatesReady",
    "AutoTemplatesPresent",
    "Available",
    "CacheWarm",
    "CanaryServes",
    "DefaultRuntimeConfigMissing",
    "Discovered",
    "DiscoveryDisabled",
    "Fits",
    "GPUAvailable",
    "HPAOperational",
    "ImageFound",
    "ImageMoved",
    "InlineModelSources",
    "KVCacheNotRequested",
    "KVCacheReady",
    "LimitNotReached",
    "LimitReached",
    "MetadataExtracted",
    "Mounted",
    "NoFailure",
    "NotShadowed",
    "PVCBound",
    "Reachable",
    "RecommendedDeploymentsApplied",
    "Resolved",
    "RouteReady",
    "RuntimeReady",
    "RuntimeResolved",
    "SameNameModel",
    "Shadowed",
    "StatefulSetReady",
    "StorageClassFound",
    "Synced",
    "TightFit",
    "Unused",
    "UpToDate",
    "Valid",
    "Verified",
    "Warm",
  ],
} as const satisfies Record<Meaning, readonly string[]>;

type Listed = (typeof reasons)[Meaning][number];
type Reason =
  | ReasonOf<typeof runtimeConfigVocabulary>
  | ReasonOf<typeof modelVocabulary>
  | ReasonOf<typeof templateVocabulary>
  | ReasonOf<typeof modelSourceVocabulary>
  | ReasonOf<typeof serviceVocabulary>
  | ReasonOf<typeof modelCacheVocabulary>
  | ReasonOf<typeof templateCacheVocabulary>
  | ReasonOf<typeof kvCacheVocabulary>;
/** A reason that has no meaning here does not compile, and neither does a meaning without a reason. */
const everyReason: SameWords<Reason, Listed> = true;

export const statusGuide: StatusGuide = {
  summary: "Ready",
  causes: ["Failure", "Degraded", "Progressing"],
  faults: ["CacheFailed", "Degraded", "Failure", "MaxModelsLimitReached", "Shadowed", "TemplateNotFound"],
  steps: ["InUse", "Progressing", "Ready", "Syncing"],
  meanings: everyReason && { ...reasons, action: [...reasons.action, "Degraded", "NotAvailable"] },
  uses,
  models: ["AIMModel", "AIMClusterModel", "AIMImage", "AIMClusterImage"],
};

const kindsOf: Readonly<Record<string, readonly string[]>> = {
  resolvedModel: ["AIMModel", "AIMClusterModel"],
  resolvedImage: ["AIMModel", "AIMClusterModel"],
  resolvedTemplate: ["AIMServiceTemplate", "AIMClusterServiceTemplate"],
  resolvedTemplateCache: ["AIMTemplateCache"],
  resolvedRuntimeConfig: ["AIMRuntimeConfig", "AIMClusterRuntimeConfig"],
};

/** What was found, and what a service names and was not. */
function uses(object: AnyObject): readonly Relation[] {
  const found = resolvedIn(object);
  const isFound = ({ kinds, name }: Relation): boolean =>
    found.some((one) => one.name === name && one.kinds.some((kind) => kinds.includes(kind)));
  const named = namedIn(object).filter((one) => !isFound(one));
  return [...named, ...found];
}

function namedIn({ kind, spec, metadata: { namespace } }: AnyObject): readonly Relation[] {
  if (kind !== "AIMService") return [];
  const { model, aimImageName, templateRef, template } = (spec ?? {}) as ServiceReferences;
  const modelName = model?.ref ?? model?.name ?? aimImageName;
  const templateName = templateRef ?? template?.name;
  return [
    ...(modelName ? [{ kinds: kindsOf.resolvedModel ?? [], name: modelName, namespace }] : []),
    ...(templateName ? [{ kinds: kindsOf.resolvedTemplate ?? [], name: templateName, namespace }] : []),
  ];
}

interface ServiceReferences {
  readonly model?: { readonly ref?: string; readonly name?: string };
  readonly aimImageName?: string;
  readonly templateRef?: string;
  readonly template?: { readonly name?: string };
}

/** A status writes down what was found, with kind, name and scope. */
function resolvedIn({ status }: AnyObject): readonly Relation[] {
  return Object.entries((status ?? {}) as Readonly<Record<string, Json>>).flatMap(([key, reference]) => {
    if (!key.startsWith("resolved") || !isObject(reference)) return [];
    const { name, kind, namespace } = reference;
    const kinds = typeof kind === "string" && kind !== "" ? [kind] : kindsOf[key];
    if (typeof name !== "string" || name === "" || kinds === undefined) return [];
    return [{ kinds, name, ...(typeof namespace === "string" ? { namespace } : {}) }];
  });
}
