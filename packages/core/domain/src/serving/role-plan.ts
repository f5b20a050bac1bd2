import type { api } from "@trivium/kube";
import type { HealthReport } from "../health/health-report.ts";
import type { ObservedPod } from "../health/observed-pod.ts";
import type { ServingPod } from "../health/serving-pod.ts";
import type { CollectorPlan } from "./collector-plan.ts";
import type { GroupPlan } from "./group-plan.ts";
import type { InferencePlan } from "./inference-plan.ts";
import type { ScaledPlan } from "./scaled-plan.ts";
import type { ScalingPlan } from "./scaling-plan.ts";
import type { ServerlessPlan } from "./serverless-plan.ts";
import type { ServicePlan } from "./service-plan.ts";
import type { WorkloadPlan } from "./workload-plan.ts";

/** One part of a service that runs in pods of its own: the server alone, or engine, decoder and router. */
export interface RolePlan {
  readonly name: string;
  readonly shape: RoleShape;
  /** Where it is reached; absent where another controller creates the address. */
  readonly address?: ServicePlan | undefined;
  readonly replicas: ReplicaBounds;
  readonly scaling: RoleScaling;
  /** What tries out the newest template while the one before goes on serving. */
  readonly canary?: CanaryPlan | undefined;
  readonly disruption?: DisruptionPlan | undefined;
  /** An account that may list pods, for a role that must find others. */
  readonly access?: PodAccess | undefined;
  /** What runs stays as it is: it is neither created nor changed. */
  readonly keep?: true | undefined;
}

/** A role that is wanted, and what is observed of it. */
export interface RoleIntent extends RolePlan {
  readonly observed: ObservedRole;
}

/** A role as it should be, and how far it is. */
export interface PlannedRole extends RolePlan {
  readonly health: HealthReport;
}

export type RoleShape =
  | {
      readonly is: "deployment";
      readonly workload: WorkloadPlan;
      readonly strategy?: api.DeploymentStrategy | undefined;
    }
  | { readonly is: "group"; readonly group: GroupPlan }
  | { readonly is: "serverless"; readonly serverless: ServerlessPlan }
  | { readonly is: "kserve"; readonly inference: InferencePlan };

export interface ReplicaBounds {
  readonly min: number;
  readonly max: number;
  /** How many there should be now. */
  readonly current: number;
}

/** Who decides how many replicas there are. */
export type RoleScaling =
  /** The spec, or nobody. */
  | { readonly is: "fixed" }
  /** KServe or Knative, from their own objects. */
  | { readonly is: "elsewhere" }
  | { readonly is: "hpa"; readonly plan: ScalingPlan }
  | { readonly is: "keda"; readonly plan: ScaledPlan; readonly collector?: CollectorPlan | undefined }
  /** KEDA, as soon as the autoscaler that we created before is gone. */
  | { readonly is: "switching"; readonly plan: ScaledPlan }
  /** Nobody, although it is asked for; what was created while it could be stays. */
  | { readonly is: "unavailable"; readonly why: string; readonly kept?: ScaledPlan | undefined };

/** The newest template beside the one that is rolled out, and how requests are shared between them. */
export interface CanaryPlan {
  readonly workload: WorkloadPlan;
  readonly address: ServicePlan;
  readonly percent: number;
  /** Those of the newest template; of an older trial some may still run. */
  readonly pods: readonly ObservedPod[];
  /** Whether one of them is ready; until then they get no requests. */
  readonly isUp: boolean;
  /** The object of another owner that has a name of the canary: nothing of it is created then. */
  readonly taken?: { readonly kind: string; readonly name: string; readonly owner?: string | undefined } | undefined;
  readonly backends: readonly WeightedBackend[];
}

export interface WeightedBackend {
  readonly name: string;
  readonly port: number;
  readonly weight: number;
}

/** How many pods may be missing while nodes are drained. */
export interface DisruptionPlan {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly spec: api.PodDisruptionBudgetSpec;
}

export interface PodAccess {
  /** Name of the Role and its binding. */
  readonly name: string;
  readonly account: string;
  /** Whether the account is created; otherwise the user named one. */
  readonly isOurs: boolean;
}

export interface ObservedRole {
  /** What tells pods of the newest template from older ones; see `ObservedPod.template`. */
  readonly template: string;
  readonly pods: readonly ServingPod[];
  /** Why the controller of the pods cannot create them, where it says so. */
  readonly refused?: string | undefined;
  /** Whether it was found to serve before: what is known then is not lost because an answer is late. */
  readonly wasServing: boolean;
}
