import type { api } from "@trivium/kube";
import type { EnvVars, SecretReferences } from "../../kinds/pod-fields.ts";
import type { AimOptions } from "../../options.ts";
import type { Settings } from "../../runtime-config/settings/merge-settings.ts";
import type { AdaptersPlan } from "../adapters/plan-adapters.ts";
import type { SelectedService } from "../names/serving-labels.ts";
import type { ObservedDeployment } from "../observed/observed-service.ts";
import type { KVPlan } from "../prompt-cache/kv-cache.ts";
import type { AnnotatedCache } from "../prompt-cache/lower-prompt-cache.ts";
import type { CachePlan } from "../weights/cache-plan.ts";
import type { ReplicaPlan } from "./replicas.ts";

/** Everything that the serving pods are built from; each value is computed once in a pass. */
export interface ServerInput extends SelectedService {
  readonly settings: Settings;
  readonly options: AimOptions;
  readonly replicas: ReplicaPlan;
  readonly kv: KVPlan;
  readonly promptCache: AnnotatedCache;
  readonly adapters: AdaptersPlan;
  readonly labels: Readonly<Record<string, string>>;
  readonly resources: api.ResourceRequirements;
  readonly env: EnvVars;
  readonly imagePullSecrets: SecretReferences;
  /** What serves now, of this very template: labels of nodes that change must not restart it. */
  readonly running?: Pick<ObservedDeployment, "nodes">;
}

/** The same once the weights have a place. */
export interface PlacedInput extends ServerInput {
  readonly cache: Extract<CachePlan, { is: "cached" | "temporary" }>;
}
