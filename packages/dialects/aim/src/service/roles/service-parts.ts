import type { RoutePlan } from "@trivium/domain";
import type { ServingAnnotations } from "@trivium/engines";
import type { Settings } from "../../runtime-config/settings/merge-settings.ts";
import type { ResolvedConfig } from "../../runtime-config/settings/resolve.ts";
import type { AdaptersPlan } from "../adapters/plan-adapters.ts";
import type { ConflictingRoute } from "../observed/observed-service.ts";
import type { SecretsAbsent } from "../pod/secrets.ts";
import type { KVPlan } from "../prompt-cache/kv-cache.ts";
import type { AnnotatedCache } from "../prompt-cache/lower-prompt-cache.ts";
import type { Scaling } from "../scaling/lower-scaling.ts";
import type { Selected } from "../selection/choose.ts";
import type { Routing } from "../traffic/routing.ts";
import type { CachePlan } from "../weights/cache-plan.ts";
import type { ReplicaPlan } from "./replicas.ts";

/** The parts of a service that this API reports one by one, as far as each is decided. */
export interface ServiceParts {
  readonly config: ResolvedConfig;
  /** Nothing where the config that it names does not exist. */
  readonly settings?: Settings | undefined;
  readonly selected: Selected;
  readonly replicas: ReplicaPlan;
  readonly routing: Routing;
  /** An older service that has the path already. */
  readonly conflict?: ConflictingRoute | undefined;
  readonly routes: readonly RoutePlan[];
  readonly annotations: ServingAnnotations;
  /** Why a canary that is asked for is not run. */
  readonly canaryFault?: string | undefined;
  readonly kv: KVPlan;
  readonly promptCache: AnnotatedCache;
  readonly adapters: AdaptersPlan;
  /** Something in the spec that the API would reject later. */
  readonly fault?: SpecFault | undefined;
  readonly secrets?: SecretsAbsent;
  readonly cache?: CachePlan;
  /** Only where something is planned that serves. */
  readonly scaling?: Scaling;
}

export interface SpecFault {
  readonly reason: "InvalidResources" | "InvalidReplicas" | "InvalidAdapters";
  readonly message: string;
}
