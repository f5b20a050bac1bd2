import type { api, ResourceQuota } from "@trivium/kube";
import { qosClassOf } from "../built-in/core/defaults.ts";

type Requirement = api.ScopedResourceSelectorRequirement;

/** Whether a quota speaks of an object of this resource. Quotas with scopes speak of pods only. */
export function isInScope({ spec }: ResourceQuota, resource: string, object: unknown): boolean {
  const plain = (spec?.scopes ?? []).map((scopeName): Requirement => ({ scopeName, operator: "Exists" }));
  const all = [...plain, ...(spec?.scopeSelector?.matchExpressions ?? [])];
  if (all.length === 0) return true;
  if (resource !== "pods") return false;
  return all.every((requirement) => isMet(requirement, object as api.Pod));
}

function isMet(requirement: Requirement, { spec }: api.Pod): boolean {
  switch (requirement.scopeName) {
    case "Terminating":
      return spec.activeDeadlineSeconds !== undefined;
    case "NotTerminating":
      return spec.activeDeadlineSeconds === undefined;
    case "BestEffort":
      return qosClassOf(spec) === "BestEffort";
    case "NotBestEffort":
      return qosClassOf(spec) !== "BestEffort";
    case "PriorityClass":
      return isOfClass(requirement, spec.priorityClassName ?? "");
    case "CrossNamespacePodAffinity":
      return usesOtherNamespaces(spec.affinity);
    default:
      return false;
  }
}

function isOfClass({ operator, values = [] }: Requirement, name: string): boolean {
  switch (operator) {
    case "In":
      return values.includes(name);
    case "NotIn":
      return !values.includes(name);
    case "Exists":
      return name !== "";
    case "DoesNotExist":
      return name === "";
  }
}

function usesOtherNamespaces(affinity: api.Affinity | undefined): boolean {
  return [affinity?.podAffinity, affinity?.podAntiAffinity]
    .flatMap((one) => [
      ...(one?.requiredDuringSchedulingIgnoredDuringExecution ?? []),
      ...(one?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(({ podAffinityTerm }) => podAffinityTerm),
    ])
    .some(({ namespaces = [], namespaceSelector }) => namespaces.length > 0 || namespaceSelector !== undefined);
}
