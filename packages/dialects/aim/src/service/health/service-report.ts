import type { CanaryPlan, Diagnosis, HealthReport, MemoryFit, Served } from "@trivium/domain";
import { diagnoseRoute, type RouteOutcome } from "@trivium/engines";
import type { Instant } from "@trivium/std";
import { servicePaths } from "../../field-paths.ts";
import type { LoweredService } from "../lower.ts";
import { routeNameOf, type Service } from "../names/names.ts";
import { isOnKServe, type ObservedService } from "../observed/observed-service.ts";
import type { ServiceParts } from "../roles/service-parts.ts";
import { judgeScaling, type ScalingReport } from "../scaling/judge-scaling.ts";

/** What is decided and observed of a service: everything that its status is raised from. */
export interface ServiceReport {
  readonly service: Service;
  readonly observed: ObservedService;
  readonly parts: ServiceParts;
  readonly now: Instant;
  /** How far the pods are that are planned; nothing where none are. */
  readonly health?: HealthReport;
  /** Why it cannot run on any node. */
  readonly misfit?: Diagnosis;
  readonly fit?: MemoryFit;
  /** The newest template, while it is tried out beside the one that serves. */
  readonly canary?: CanaryPlan;
  /** Whether as many replicas serve as there must be at least. */
  readonly isAnswering: boolean;
  readonly scaling?: ScalingReport;
  /** Whether the route leads to it; nothing where it needs none, or another service has its path. */
  readonly route?: RouteOutcome;
}

export function reportService(
  service: Service,
  {
    lowered,
    served,
    observed,
    now,
  }: { lowered: LoweredService; served: Served | undefined; observed: ObservedService; now: Instant },
): ServiceReport {
  const misfit = served?.is === "blocked" ? served.blocker : undefined;
  // Weights that no node can load are not downloaded.
  const { cache, ...others } = lowered.parts;
  const parts = misfit === undefined ? lowered.parts : others;
  const role = served?.is === "planned" ? served.plan.roles[0] : undefined;
  const { health, canary } = role ?? {};
  const fit = served === undefined || served.is === "unresolved" ? undefined : served.fit;
  const scaling = judgeScaling(parts.scaling, observed.scaling);
  return {
    service,
    observed,
    parts,
    now,
    ...(health === undefined ? {} : { health }),
    ...(misfit === undefined ? {} : { misfit }),
    ...(fit === undefined ? {} : { fit }),
    ...(canary === undefined ? {} : { canary }),
    isAnswering: isAnswering(health, parts, observed),
    ...(scaling === undefined ? {} : { scaling }),
    ...routeOf(service, parts, observed),
  };
}

function routeOf(
  service: Service,
  { routing, conflict }: ServiceParts,
  { route, gateway }: ObservedService,
): Pick<ServiceReport, "route"> {
  if (routing.is !== "on" || conflict !== undefined) return {};
  const { kind = "Gateway", namespace, name } = routing.parent;
  const reported = {
    subject: `HTTPRoute ${routeNameOf(service)}`,
    parents: route.is === "known" ? route.value.parents : [],
    parent: `${kind} ${namespace}/${name}`,
    isParentMissing: gateway?.is === "absent",
  };
  return { route: diagnoseRoute(reported, servicePaths) };
}

/** What is no longer planned still serves while its pods do. */
function isAnswering(health: HealthReport | undefined, { replicas }: ServiceParts, observed: ObservedService): boolean {
  if (isOnKServe(observed)) return observed.inferenceService.is === "known" && observed.inferenceService.value.isReady;
  if (health === undefined) return observed.pods.some(({ isReady, isLeaving }) => isReady && !isLeaving);
  return health.ready > 0 && health.ready >= Math.min(health.desired, replicas.min);
}
