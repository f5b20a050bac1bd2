import { type api, type LabelSelector, matchesLabels, type Pod, selectorOf } from "@trivium/kube";

/** Which pods a term of pod affinity means, and over which label of nodes it reaches. */
export interface PodTerm {
  readonly topologyKey: string;
  readonly selector: LabelSelector;
  readonly namespaces: ReadonlySet<string>;
  /** Namespaces by their labels, besides those that are named. */
  readonly namespaceSelector: LabelSelector | undefined;
}

export interface WeightedTerm {
  readonly term: PodTerm;
  /** Negative for a pod that would rather be elsewhere. */
  readonly weight: number;
}

export interface PodTerms {
  readonly near: readonly PodTerm[];
  readonly apart: readonly PodTerm[];
  readonly preferred: readonly WeightedTerm[];
}

const none: PodTerms = { near: [], apart: [], preferred: [] };

export function podTermsOf(pod: Pod): PodTerms {
  const { podAffinity, podAntiAffinity } = pod.spec?.affinity ?? {};
  if (podAffinity === undefined && podAntiAffinity === undefined) return none;
  const termsOf = (list: readonly api.PodAffinityTerm[] | undefined) => (list ?? []).map((term) => termOf(pod, term));
  const weighted = (list: readonly api.WeightedPodAffinityTerm[] | undefined, sign: 1 | -1) =>
    (list ?? []).map(({ podAffinityTerm, weight }) => ({ term: termOf(pod, podAffinityTerm), weight: weight * sign }));
  return {
    near: termsOf(podAffinity?.requiredDuringSchedulingIgnoredDuringExecution),
    apart: termsOf(podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution),
    preferred: [
      ...weighted(podAffinity?.preferredDuringSchedulingIgnoredDuringExecution, 1),
      ...weighted(podAntiAffinity?.preferredDuringSchedulingIgnoredDuringExecution, -1),
    ],
  };
}

function termOf(pod: Pod, term: api.PodAffinityTerm): PodTerm {
  const { namespaces = [], namespaceSelector, topologyKey } = term;
  const isHome = namespaces.length === 0 && namespaceSelector === undefined;
  return {
    topologyKey,
    selector: withLabelsOf(pod, selectorOf(term.labelSelector), term),
    namespaces: new Set(isHome ? [pod.metadata.namespace ?? ""] : namespaces),
    namespaceSelector: namespaceSelector === undefined ? undefined : selectorOf(namespaceSelector),
  };
}

interface LabelKeys {
  readonly matchLabelKeys?: readonly string[] | undefined;
  readonly mismatchLabelKeys?: readonly string[] | undefined;
}

/** Adds what the pod's own labels say: equal to them, or not. */
export function withLabelsOf(pod: Pod, selector: LabelSelector, keys: LabelKeys): LabelSelector {
  const { labels = {} } = pod.metadata;
  const own = (list: readonly string[] | undefined, operator: "in" | "notin") =>
    (list ?? [])
      .filter((key) => Object.hasOwn(labels, key))
      .map((key) => ({ key, operator, values: [labels[key] as string] }));
  const more = [...own(keys.matchLabelKeys, "in"), ...own(keys.mismatchLabelKeys, "notin")];
  if (more.length === 0 || selector.isNothing) return selector;
  return { requirements: [...selector.requirements, ...more] };
}

export type NamespaceLabels = ReadonlyMap<string, Readonly<Record<string, string>>>;

export function matchesPodTerm(term: PodTerm, pod: Pod, namespaces: NamespaceLabels): boolean {
  const home = pod.metadata.namespace ?? "";
  const isMeant =
    term.namespaces.has(home) ||
    (term.namespaceSelector !== undefined && matchesLabels(term.namespaceSelector, namespaces.get(home)));
  return isMeant && matchesLabels(term.selector, pod.metadata.labels);
}
