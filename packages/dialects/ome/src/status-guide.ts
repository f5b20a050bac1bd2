import type { AnyObject } from "@trivium/kube";
import type { Meaning, ReasonOf, Relation, SameWords, StatusGuide } from "@trivium/reconcile";
import { isObject, type Json } from "@trivium/std";
import type { modelVocabulary, serviceVocabulary } from "./reasons.ts";

const reasons = {
  action: [
    "ApplyFailed",
    "BaseModelNotFound",
    "CanaryNotAvailable",
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
    "MinimumReplicasAvailable",
    "ModelReady",
    "Ready",
    "RevisionReady",
    "RolledOutAtOnce",
    "RouteTaken",
    "RuntimeSelected",
    "ServesWithoutModel",
    "VirtualDeployment",
  ],
} as const satisfies Record<Meaning, readonly string[]>;

type Listed = (typeof reasons)[Meaning][number];
type Reason = ReasonOf<typeof modelVocabulary> | ReasonOf<typeof serviceVocabulary>;
/** A reason that has no meaning here does not compile, and neither does a meaning without a reason. */
const everyReason: SameWords<Reason, Listed> = true;

export const statusGuide: StatusGuide = {
  summary: "Ready",
  causes: [],
  faults: ["CanaryUnsupported"],
  steps: ["Ready"],
  // A BenchmarkJob and a model have a state instead of conditions.
  meanings: everyReason && {
    ...reasons,
    action: [...reasons.action, "Failed"],
    fine: [...reasons.fine, "Completed"],
  },
  uses,
};

/** Models and weights that a service names. */
function uses(object: AnyObject): readonly Relation[] {
  if (object.kind !== "InferenceService") return [];
  const { model } = (object.spec ?? {}) as { readonly model?: Json };
  if (!isObject(model)) return [];
  const { namespace } = object.metadata;
  const weights = Array.isArray(model.fineTunedWeights) ? model.fineTunedWeights : [];
  return [
    ...named(["BaseModel", "ClusterBaseModel"], model.name, namespace),
    ...weights.flatMap((name) => named(["FineTunedWeight"], name, namespace)),
  ];
}

const named = (kinds: readonly string[], name: Json | undefined, namespace: string | undefined): Relation[] =>
  typeof name === "string" && name !== "" ? [{ kinds, name, namespace }] : [];
