import type { PodPlan } from "@trivium/domain";
import type { api } from "@trivium/kube";

/** The template of a plan's pods. */
export const templateOf = ({ labels, annotations, spec }: PodPlan) => ({
  metadata: { labels: { ...labels }, annotations: { ...annotations } },
  spec: withoutToken(spec),
});

type Accounted = Pick<api.PodSpec, "serviceAccountName" | "automountServiceAccountToken">;

/**
 * No token of the API in pods that do not need one: model servers and downloads run code from outside, and a token opens whatever
 * the namespace's default account is allowed. A pod with an account of its own, or that says what it wants, keeps it.
 */
export function withoutToken<S extends Accounted>(spec: S): S {
  if (spec.automountServiceAccountToken !== undefined || spec.serviceAccountName) return spec;
  return { ...spec, automountServiceAccountToken: false };
}
