import type { KubeObject } from "@trivium/kube";
import type { Desired } from "@trivium/reconcile";
import type { InferenceService } from "../../kinds/inference-service.ts";
import type { EntryComponents } from "./component.ts";
import type { EntryPlan, OpenEntry } from "./entry-plan.ts";
import { entryService } from "./entry-service.ts";
import { emitHttpRoutes } from "./http-route.ts";
import { emitIngress } from "./kubernetes-ingress.ts";
import { entryKinds, type ObservedEntry } from "./observe.ts";
import { emitVirtualService } from "./virtual-service.ts";

export interface EntryRequest {
  readonly parts: EntryComponents;
  readonly plan: EntryPlan;
  readonly observed: ObservedEntry | undefined;
  readonly models: readonly string[];
}

/** Everything that leads to the service. */
export function entryChildren(service: InferenceService, { parts, plan, observed, models }: EntryRequest): Desired[] {
  const stays = entryService(service, { parts, plan, models });
  if (plan.is === "open") return [...stays, ...routesOf(service, parts, plan)];
  // What is wrong with the settings must not cut off those who come by the old ones.
  return plan.is === "faulty" ? [...stays, ...keepRoutes(observed ?? { routes: [] })] : stays;
}

function routesOf(service: InferenceService, parts: EntryComponents, plan: OpenEntry): Desired[] {
  switch (plan.by) {
    case "HTTPRoute":
      return emitHttpRoutes(service, parts, plan);
    case "Ingress":
      return [emitIngress(service, parts, plan)];
    case "VirtualService":
      return [emitVirtualService(service, parts, plan)];
  }
}

function keepRoutes({ routes }: ObservedEntry): Desired[] {
  return routes.flatMap(({ kind: word, name }) => {
    const kind = entryKinds.find((one) => one.kind === word);
    if (kind === undefined) return [];
    const apiVersion = `${kind.group}/${kind.version}`;
    const object: KubeObject = { apiVersion, kind: kind.kind, metadata: { name } };
    return [{ kind, object, keep: true as const }];
  });
}
