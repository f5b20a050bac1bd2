import type { api } from "@trivium/kube";
import type { ClaimPlan } from "./claim-plan.ts";
import type { PodPlan } from "./workload-plan.ts";

/** Pods that each keep a volume of their own under a name of their own. */
export interface StatefulPlan {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly selector: Readonly<Record<string, string>>;
  /** The Service that gives the pods their host names. */
  readonly serviceName: string;
  readonly replicas: number;
  readonly pod: PodPlan;
  readonly claims: readonly (Pick<ClaimPlan, "name" | "size" | "storageClass"> & {
    readonly accessModes: NonNullable<api.PersistentVolumeClaimSpec["accessModes"]>;
  })[];
}
