import { nodeHardware } from "@trivium/engines";
import { type api, type LabelOperator, matchesLabels, type Node } from "@trivium/kube";
import type { Part } from "@trivium/reconcile";
import { canonicalJson } from "@trivium/std";

const operators: Readonly<Record<string, LabelOperator>> = {
  In: "in",
  NotIn: "notin",
  Exists: "exists",
  DoesNotExist: "!",
  Gt: "gt",
  Lt: "lt",
};

export interface NodeOptions {
  readonly nodeSelector?: Readonly<Record<string, string>> | undefined;
  readonly nodeAffinity?: api.NodeAffinity | undefined;
}

/** Whether files may be put on a node: every label of the selector, and one of the required terms. Preferences choose nothing here. */
export function isEligible({ nodeSelector = {}, nodeAffinity }: NodeOptions, { metadata }: Node): boolean {
  const labels = metadata.labels ?? {};
  const isSelected = Object.entries(nodeSelector).every(([key, value]) => labels[key] === value);
  const terms = nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
  if (!isSelected || terms === undefined) return isSelected;
  const fields = { "metadata.name": metadata.name ?? "" };
  return terms.some(
    ({ matchExpressions = [], matchFields = [] }) =>
      matchExpressions.length + matchFields.length > 0 &&
      matchesAll(matchExpressions, labels) &&
      matchesAll(matchFields, fields),
  );
}

/** Whether a node could hold the files. */
export const eligibility = (options: NodeOptions): Part<Node, { readonly isEligible: boolean }> => ({
  name: `eligibility ${nameOf(options)}`,
  of: (node) => ({ isEligible: isEligible(options, node) }),
});

/** What the nodes that could hold the files offer. */
export const eligibleHardware = (options: NodeOptions): Part<Node, Node | undefined> => ({
  name: `eligible hardware ${nameOf(options)}`,
  of: (node) => (isEligible(options, node) ? nodeHardware.of(node) : undefined),
});

const nameOf = ({ nodeSelector = {}, nodeAffinity = {} }: NodeOptions): string =>
  canonicalJson([nodeSelector, nodeAffinity]);

function matchesAll(list: readonly api.NodeSelectorRequirement[], labels: Readonly<Record<string, string>>): boolean {
  const requirements = list.flatMap(({ key, operator, values = [] }) => {
    const known = Object.hasOwn(operators, operator) ? operators[operator] : undefined;
    return known === undefined ? [] : [{ key, operator: known, values }];
  });
  // What nobody understands matches nothing.
  return requirements.length === list.length && matchesLabels({ requirements }, labels);
}
