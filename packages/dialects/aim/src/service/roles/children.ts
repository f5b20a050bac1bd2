import type { Served } from "@trivium/domain";
import { emitConfigMap, emitHttpRoute, emitServing } from "@trivium/emitters";
import type { Desired, Patch } from "@trivium/reconcile";
import type { ServiceReport } from "../health/service-report.ts";
import type { ServiceStatus } from "../names/names.ts";
import { type KVPlan, kvCacheNameOf } from "../prompt-cache/kv-cache.ts";
import { type InUse, letGo } from "../selection/let-go.ts";
import { closedService } from "../traffic/closed-service.ts";
import { keptChildren } from "./kept-children.ts";

/** All objects of a service: those of this API that it needs first, what serves, and what stays meanwhile. */
export function emitChildren(
  report: ServiceReport,
  served: Served | undefined,
  status: ServiceStatus,
): { readonly children: Desired[]; readonly patches: Patch[] } {
  const { service, observed, parts, misfit, isAnswering } = report;
  const { selected, cache, kv } = parts;
  const isPlanned = served?.is === "planned" && served.plan.roles.length > 0;
  const planned = [
    ...selected.children,
    ...(cache?.children ?? []),
    ...(misfit === undefined ? emitPromptCache(kv) : []),
    ...(served?.is === "planned" ? emitServing(served.plan) : parts.routes.map(emitHttpRoute)),
    ...(isPlanned ? [] : closedService(service, status, observed)),
  ];
  const children = [...planned, ...keptChildren({ service, parts, observed, children: planned, isPlanned })];
  // What the new replicas need exists, and they serve: nothing reads the old objects any more.
  const unused = isPlanned && isAnswering ? letGo(service, observed.shared ?? [], inUse(report)) : [];
  const released = misfit === undefined ? (cache?.patches ?? []) : [];
  return { children, patches: [...selected.patches, ...released, ...(kv.is === "off" ? [] : kv.patches), ...unused] };
}

/** The cache that is missing, or what the servers read of the one that is ready. */
function emitPromptCache(kv: KVPlan): readonly Desired[] {
  if (kv.is !== "ready") return kv.is === "off" ? [] : kv.children;
  const message = `Created ConfigMap ${kv.config.name}`;
  const made = { type: "Normal", reason: "LMCacheConfigMapCreation", message } as const;
  return [{ ...emitConfigMap(kv.config), events: { made } }];
}

const inUse = ({ service, parts: { selected, kv } }: ServiceReport): InUse => ({
  AIMModel: selected.model?.name,
  AIMServiceTemplate: selected.template?.name,
  AIMKVCache: kv.is === "off" ? "" : kvCacheNameOf(service),
});
