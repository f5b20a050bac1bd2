import { once } from "@trivium/std";
import { mergeSettings, type Settings } from "../../runtime-config/settings/merge-settings.ts";
import {
  type ObservedRuntimeConfig,
  type ResolvedConfig,
  resolveRuntimeConfig,
} from "../../runtime-config/settings/resolve.ts";
import type { Service } from "../names/names.ts";
import { lowerReplicas, type ReplicaPlan } from "../roles/replicas.ts";
import { planRouting, type Routing } from "../traffic/routing.ts";
import { ownSettings } from "./own-settings.ts";

/** What a service sets, laid over its runtime config, and what follows from it alone. */
interface ServiceSettings {
  readonly config: ResolvedConfig;
  /** Nothing while there is no config. */
  readonly settings?: Settings | undefined;
  /** The same, or what the service sets itself where there is no config. */
  readonly effective: Settings;
  readonly routing: Routing;
  readonly replicas: ReplicaPlan;
}

/** What to read depends on it, so observing and deciding both need it: evaluated once in a pass. */
export const resolveSettings: (service: Service, observed: ObservedRuntimeConfig) => ServiceSettings = once(evaluate);

function evaluate(service: Service, observed: ObservedRuntimeConfig): ServiceSettings {
  const config = resolveRuntimeConfig(observed);
  const own = ownSettings(service);
  const settings = config.is === "resolved" ? mergeSettings(config.settings, own) : undefined;
  const effective = settings ?? own;
  return { config, settings, effective, routing: planRouting(service, effective), replicas: lowerReplicas(service) };
}
