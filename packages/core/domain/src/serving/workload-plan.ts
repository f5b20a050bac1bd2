import type { api } from "@trivium/kube";

/** Pods of one template that should run, whatever kind of object keeps them running. */
export interface WorkloadPlan {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  /** Labels by which the pods are found; never changed afterwards. */
  readonly selector: Readonly<Record<string, string>>;
  readonly pod: PodPlan;
  readonly replicas: number;
  /** `replace` ends the old pods first: for what cannot be had twice, such as a GPU. */
  readonly update: "roll" | "replace";
  readonly history?: number | undefined;
}

export interface PodPlan {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly spec: api.PodSpec;
}
