import { groupResourceOf, type Kind } from "@trivium/kube";

/**
 * What happens to objects that another operator of the same API has made: nothing, nothing but a plan, only what restarts no pod, or
 * everything.
 */
export const adoptPolicies = ["never", "plan", "safe", "all"] as const;
export type AdoptPolicy = (typeof adoptPolicies)[number];

/** Whether anything at all is written to objects of another operator. */
export const isAdopting = (policy: AdoptPolicy): boolean => policy === "safe" || policy === "all";

/** The API server refuses most changes of them, and what they did is done: they are used as they are. */
const immutable = new Set(["jobs.batch", "persistentvolumeclaims", "persistentvolumes", "pods"]);
/** Two of them would scale the same workload against each other. */
const scalers = new Set(["horizontalpodautoscalers.autoscaling", "scaledobjects.keda.sh"]);

/** KServe copies labels and annotations of these to the pods, so that each change of one restarts them. */
const keptWhole = new Set(["inferenceservices.serving.kserve.io"]);

export const isKeptWhole = (kind: Kind): boolean => keptWhole.has(groupResourceOf(kind));

export const isUsedAsItIs = (kind: Kind): boolean => immutable.has(groupResourceOf(kind));

/** Whether an object of another operator that no decision names is deleted: its end must not touch pods that were kept. */
export function isDeletedWhenUnwanted(policy: AdoptPolicy, kind: Kind): boolean {
  if (policy === "all") return !isUsedAsItIs(kind);
  return policy === "safe" && scalers.has(groupResourceOf(kind));
}
