import { type api, type LabelOperator, type LabelSelector, matchesLabels, type Node, type Pod } from "@trivium/kube";

type Term = api.NodeSelectorTerm;
type Requirement = api.NodeSelectorRequirement;

const operators: Readonly<Record<Requirement["operator"], LabelOperator>> = {
  In: "in",
  NotIn: "notin",
  Exists: "exists",
  DoesNotExist: "!",
  Gt: "gt",
  Lt: "lt",
};

const read = new WeakMap<readonly Requirement[], LabelSelector>();

function selectorOfRequirements(list: readonly Requirement[]): LabelSelector {
  const found = read.get(list);
  if (found !== undefined) return found;
  const requirements = list.map(({ key, operator, values }) => ({
    key,
    operator: operators[operator],
    values: values ?? [],
  }));
  const selector = { requirements };
  read.set(list, selector);
  return selector;
}

/** A term with nothing in it matches no node. */
export function matchesTerm({ matchExpressions = [], matchFields = [] }: Term, node: Node): boolean {
  if (matchExpressions.length + matchFields.length === 0) return false;
  if (!matchesLabels(selectorOfRequirements(matchExpressions), node.metadata.labels)) return false;
  return matchesLabels(selectorOfRequirements(matchFields), { "metadata.name": node.metadata.name ?? "" });
}

/** Any of the terms is enough; none at all matches nothing. */
export function matchesAnyTerm(terms: readonly Term[], node: Node): boolean {
  return terms.some((term) => matchesTerm(term, node));
}

/** Whether the pod's node selector and its required node affinity allow the node. */
export function allowsNode({ spec }: Pod, node: Node): boolean {
  for (const key in spec?.nodeSelector) {
    if (node.metadata.labels?.[key] !== spec.nodeSelector[key]) return false;
  }
  const required = spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return required === undefined || matchesAnyTerm(required.nodeSelectorTerms, node);
}

/** The nodes that the pod's affinity names one by one; undefined when it does not name any. */
export function namedNodes({ spec }: Pod): ReadonlySet<string> | undefined {
  const required = spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  if (required === undefined || required.nodeSelectorTerms.length === 0) return undefined;
  const all = new Set<string>();
  for (const { matchFields = [] } of required.nodeSelectorTerms) {
    const lists = matchFields.filter(({ key, operator }) => key === "metadata.name" && operator === "In");
    if (lists.length === 0) return undefined;
    const [first, ...rest] = lists.map(({ values }) => new Set(values));
    for (const name of first ?? []) if (rest.every((set) => set.has(name))) all.add(name);
  }
  return all;
}
