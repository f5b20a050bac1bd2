import type { Instant } from "@trivium/std";
import type { MemoryFit } from "../hardware/memory-fit.ts";
import type { SizingRequest } from "../hardware/sizing-request.ts";
import type { Diagnosis } from "../health/diagnosis.ts";
import type { AliasPlan } from "../traffic/alias-plan.ts";
import type { IngressPlan } from "../traffic/ingress-plan.ts";
import type { RoutePlan } from "../traffic/route-plan.ts";
import type { VirtualServicePlan } from "../traffic/virtual-service-plan.ts";
import type { DownloadProgress } from "../weights/download-progress.ts";
import type { Choice } from "./choice.ts";
import type { ClaimPlan } from "./claim-plan.ts";
import type { ConfigPlan } from "./config-plan.ts";
import type { FieldPaths } from "./field-paths.ts";
import type { PlannedRole, RoleIntent } from "./role-plan.ts";
import type { ServicePlan } from "./service-plan.ts";

/**
 * One model to be served, in the words that all dialects share: what an object asks for once its profile is chosen, and what is observed
 * of it. A dialect's `lower` fills it; the engines decide; nothing in it says which dialect asked.
 */
export interface ServingIntent extends ServingObjects {
  readonly identity: Identity;
  readonly choice: Choice;
  readonly weights: WeightsIntent;
  /** The question whether it fits; absent where too little is known to ask it. */
  readonly sizing?: SizingIntent | undefined;
  readonly roles: readonly RoleIntent[];
  /** Where the user writes what a remedy names. */
  readonly paths: FieldPaths;
  readonly now: Instant;
}

export interface Identity {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/** Where the weights are, or how far they are. */
export type WeightsIntent =
  /** They are where the pods read them, or the pods fetch them. */
  | { readonly is: "placed" }
  | { readonly is: "downloading"; readonly what: string; readonly progress?: DownloadProgress | undefined }
  | { readonly is: "blocked"; readonly blocker: Diagnosis };

export interface SizingIntent {
  readonly request: SizingRequest;
  /** Layers on the devices, where not all of them fit and the engine computes the rest on the CPU. */
  readonly deviceLayers?: number | undefined;
  /** What is sized, with its kind: `Model tiny`. */
  readonly subject: string;
  /** Where memory can be stated: `spec.resources.requests.memory`. */
  readonly field: string;
  /** Memory of the largest node, where the weights are loaded into the memory of a node and the user states none. */
  readonly nodeBytes?: number | undefined;
  /** All weights must lie on the devices: the engine leaves none to the CPU. */
  readonly isDeviceOnly?: true | undefined;
  /** Where GPUs are requested: `spec.resources.gpu`. */
  readonly gpuField?: string | undefined;
  /** It serves, or did: that proves that it fits, whatever the figures say. */
  /** Whether the weights are only known to be at least so large: enough to say that they fit nowhere, not that they fit. */
  readonly isLowerBound?: true | undefined;
  readonly hasServed: boolean;
}

/** What a service consists of besides its roles. */
export interface ServingObjects {
  readonly claims: readonly ClaimPlan[];
  readonly routes: readonly RoutePlan[];
  readonly ingresses?: readonly IngressPlan[] | undefined;
  readonly virtualServices?: readonly VirtualServicePlan[] | undefined;
  /** Addresses of the service as a whole; those of a role are its own. */
  readonly addresses?: readonly ServicePlan[] | undefined;
  readonly aliases?: readonly AliasPlan[] | undefined;
  readonly configs?: readonly ConfigPlan[] | undefined;
}

/** What should be. */
export interface ServingPlan extends ServingObjects {
  readonly roles: readonly PlannedRole[];
}

/** What `serve` comes to, the same for every dialect. */
export type Served =
  /** A fact is missing: hold. */
  | { readonly is: "unresolved" }
  /** Nothing can be created currently; what runs stays. */
  | {
      readonly is: "blocked";
      readonly blocker: Diagnosis;
      readonly choice?: Choice | undefined;
      readonly fit?: MemoryFit | undefined;
    }
  | {
      readonly is: "planned";
      readonly plan: ServingPlan;
      readonly choice: Choice;
      readonly fit?: MemoryFit | undefined;
      /** Why it does not serve although everything is planned. */
      readonly diagnosis?: Diagnosis | undefined;
    };
