import type { AnyObject } from "@trivium/kube";
import {
  claimOf,
  type Meaning,
  type ReasonOf,
  type Relation,
  type SameWords,
  type StatusGuide,
} from "@trivium/reconcile";
import { isObject, type Json } from "@trivium/std";
import { parseWaiting } from "./benchmark-job/status/details.ts";
import type { classVocabulary, modelVocabulary, serviceVocabulary } from "./reasons.ts";
import { sourceOf } from "./source-of.ts";
import { summarizeService } from "./summarize-service.ts";

const reasons = {
  action: [
    "ApplyFailed",
    "BaseModelNotFound",
    "CanaryNameTaken",
    "CanaryNotAvailable",
    "CanaryUnsupported",
    "ClaimNotFound",
    "ClaimUnreadable",
    "ComponentFailed",
    "DoesNotFit",
    "FieldsIgnored",
    "FineTunedWeightNotFound",
    "IngressKindMissing",
    "InvalidIngressConfig",
    "InvalidSpec",
    "InvalidStorage",
    "ModelDisabled",
    "ModelDownloadFailed",
    "ModelFailed",
    "ModelNotFound",
    "NoEligibleNode",
    "NoMatchingNode",
    "NotScaled",
    "RouteRefused",
    "RuntimeUnresolved",
  ],
  progressing: [
    "ClaimNotBound",
    "ComponentNotReady",
    "Downloading",
    "Initializing",
    "MinimumReplicasUnavailable",
    "ModelNotReady",
    "NoReadyNode",
    "NotReady",
    "ReadingClaim",
    "RevisionNotReady",
    "RoutePending",
    "WaitingForNodes",
  ],
  idle: ["Idle"],
  fine: [
    "BaseModelFound",
    "CanaryServes",
    "ClusterLocal",
    "Fits",
    "IngressDisabled",
    "MemoryUnknown",
    "MinimumReplicasAvailable",
    "ModelReady",
    "NodesFound",
    "NotChecked",
    "Ready",
    "RevisionReady",
    "RouteTaken",
    "RuntimeSelected",
    "ServesWithoutModel",
    "SizeUnknown",
    "TightFit",
    "VirtualDeployment",
  ],
} as const satisfies Record<Meaning, readonly string[]>;

type Listed = (typeof reasons)[Meaning][number];
type Reason = ReasonOf<typeof classVocabulary> | ReasonOf<typeof modelVocabulary> | ReasonOf<typeof serviceVocabulary>;
/** A reason that has no meaning here does not compile, and neither does a meaning without a reason. */
const everyReason: SameWords<Reason, Listed> = true;

export const statusGuide: StatusGuide = {
  summary: "Ready",
  causes: [],
  faults: [],
  steps: ["Ready"],
  // A BenchmarkJob and a model have a state instead of conditions.
  meanings: everyReason && {
    ...reasons,
    action: [...reasons.action, "Failed"],
    fine: [...reasons.fine, "Completed"],
  },
  uses,
  waitingFor,
  models: ["BaseModel", "ClusterBaseModel"],
};

/** A BenchmarkJob reports what it waits for in `status.details`, which is JSON. */
function waitingFor({ kind, status }: AnyObject): string | undefined {
  const { details } = (status ?? {}) as { readonly details?: unknown };
  return kind === "BenchmarkJob" && typeof details === "string" ? parseWaiting(details) : undefined;
}

/** Models, weights and the runtime that a service names, or that was selected for it; the claim that a model is in. */
function uses(object: AnyObject): readonly Relation[] {
  if (object.kind !== "InferenceService") return claimOf(sourceOf(object) ?? "", object.metadata.namespace);
  const { model } = (object.spec ?? {}) as { readonly model?: Json };
  if (!isObject(model)) return [];
  const { namespace } = object.metadata;
  const weights = Array.isArray(model.fineTunedWeights) ? model.fineTunedWeights : [];
  return [
    // A service that says BaseModel gets no other, as in the reconciler.
    ...named(model.kind === "BaseModel" ? ["BaseModel"] : ["BaseModel", "ClusterBaseModel"], model.name, namespace),
    ...weights.flatMap((name) => named(["FineTunedWeight"], name, namespace)),
    ...named(["ServingRuntime", "ClusterServingRuntime"], summarizeService(object).profile, namespace),
  ];
}

const named = (kinds: readonly string[], name: Json | undefined, namespace: string | undefined): Relation[] =>
  typeof name === "string" && name !== "" ? [{ kinds, name, namespace }] : [];
