import type { HealthReport } from "@trivium/domain";
import { emitHttpRoute } from "@trivium/emitters";
import type { Desired, Patch } from "@trivium/reconcile";
import type { AimOptions } from "../options.ts";
import type { Settings } from "../runtime-config/settings/merge-settings.ts";
import { propagateLabels } from "../runtime-config/settings/propagate-labels.ts";
import { isAnswering } from "./health/judge.ts";
import { routeLabel } from "./names/labels.ts";
import { addressNameOf, routeNameOf, type Service } from "./names/names.ts";
import type { ConflictingRoute, ObservedService } from "./observed/observed-service.ts";
import { ownSettings, settingsFor } from "./observed/settings.ts";
import { type InUse, letGo } from "./observed/shared.ts";
import type { SecretsAbsent } from "./pod/secrets.ts";
import { identityLabels } from "./pod/serving.ts";
import { type KVPlan, kvCacheNameOf, planKVCache } from "./prompt-cache/kv-cache.ts";
import { keptChildren } from "./roles/kept-children.ts";
import { planServer } from "./roles/plan-server.ts";
import { planReplicas } from "./roles/replicas.ts";
import type { Scaling } from "./scaling/plan-scaling.ts";
import { type Choice, choose } from "./selection/choose.ts";
import { olderConflict, planRouting, type Routing } from "./traffic/routing.ts";
import type { CachePlan } from "./weights/cache-plan.ts";

/** What a service comes to. */
export interface Lowered {
  readonly choice: Choice;
  /** Nothing where the config that it names does not exist. */
  readonly settings: Settings | undefined;
  readonly routing: Routing;
  /** An older service that has the path already. */
  readonly conflict?: ConflictingRoute;
  readonly cache?: CachePlan;
  readonly kv: KVPlan;
  /** Something in the spec that the API would refuse later, or weights that no node can load. */
  readonly fault?: {
    readonly reason: "InvalidResources" | "InvalidReplicas" | "DoesNotFit";
    readonly message: string;
  };
  readonly secrets?: SecretsAbsent;
  /** Fewest copies that there should be. */
  readonly wanted: number;
  readonly scaling?: Scaling;
  readonly health?: HealthReport;
  readonly children: readonly Desired[];
  readonly patches: readonly Patch[];
}

export function lowerService(service: Service, observed: ObservedService, options: AimOptions): Lowered {
  const settings = settingsFor(service, observed.config);
  const effective = settings ?? ownSettings(service);
  const choice = choose({ service, observed, settings: effective, options });
  const { template } = choice;
  const routing = planRouting(service, effective);
  const route = observed.route.is === "known" ? observed.route.value : undefined;
  const conflict = routing.is === "on" ? olderConflict(service, route, observed.conflicts) : undefined;
  const kv = planKVCache(service, observed);
  const server = planServer({ service, choice, settings, kv, options }, observed);
  const planned = [
    ...choice.children,
    ...(server.cache?.children ?? []),
    ...(kv.is === "off" || server.fault?.reason === "DoesNotFit" ? [] : kv.children),
    ...server.children,
    ...routeChildren(service, { routing, conflict, settings, choice }),
  ];
  const { isServing } = server;
  const children = [
    ...planned,
    ...keptChildren(service, { children: planned, isServing, observed, settings, template }),
  ];
  const wanted = planReplicas(service).min;
  const lowered = { ...server, choice, settings, wanted, routing, kv, ...(conflict ? { conflict } : {}), children };
  // What the new copies need is there, and they answer: nothing reads the old any more.
  const unused =
    isServing && isAnswering({ ...lowered, patches: [] }, observed)
      ? letGo(service, observed.shared ?? [], inUse(lowered, service))
      : [];
  return { ...lowered, patches: [...choice.patches, ...(kv.is === "off" ? [] : kv.patches), ...unused] };
}

function inUse({ choice, kv }: Pick<Lowered, "choice" | "kv">, service: Service): InUse {
  return {
    AIMModel: choice.model?.name,
    AIMServiceTemplate: choice.template?.name,
    AIMKVCache: kv.is === "off" ? "" : kvCacheNameOf(service),
  };
}

interface RouteInput {
  readonly routing: Routing;
  readonly conflict: ConflictingRoute | undefined;
  readonly settings: Settings | undefined;
  readonly choice: Choice;
}

function routeChildren(service: Service, { routing, conflict, settings, choice }: RouteInput): Desired[] {
  const { model, template } = choice;
  if (routing.is !== "on" || conflict !== undefined || settings === undefined) return [];
  if (model === undefined || template === undefined) return [];
  const { path, parent, timeout, annotations, key } = routing;
  const own = { ...identityLabels({ service, model, template }), [routeLabel]: key };
  return [
    emitHttpRoute({
      name: routeNameOf(service),
      labels: propagateLabels(settings, service.metadata.labels, own),
      annotations,
      parent,
      path,
      backends: [{ name: addressNameOf(service), port: 80, weight: 1 }],
      timeout,
    }),
  ];
}
