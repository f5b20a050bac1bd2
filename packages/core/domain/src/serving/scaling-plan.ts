import type { api } from "@trivium/kube";

/** Bounds between which load decides how many pods there are. */
export interface ScalingPlan {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly target: { readonly apiVersion: string; readonly kind: string; readonly name: string };
  readonly min: number;
  readonly max: number;
  readonly metrics: readonly api.MetricSpec[];
}
