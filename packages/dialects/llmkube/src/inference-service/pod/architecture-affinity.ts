import type { api } from "@trivium/kube";

/** Terms of a node selector are alternatives, so a rule for all of them goes into each. */
export function withArchitectures(affinity: api.Affinity | undefined, architectures: readonly string[]): api.Affinity {
  const rule: api.NodeSelectorRequirement = { key: "kubernetes.io/arch", operator: "In", values: [...architectures] };
  const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  const terms = required?.nodeSelectorTerms ?? [];
  const nodeSelectorTerms = (terms.length === 0 ? [{}] : terms).map((term: api.NodeSelectorTerm) => ({
    ...term,
    matchExpressions: [...(term.matchExpressions ?? []), rule],
  }));
  const nodeAffinity = {
    ...affinity?.nodeAffinity,
    requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms },
  };
  return { ...affinity, nodeAffinity };
}
