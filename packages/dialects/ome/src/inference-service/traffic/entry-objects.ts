import type { ServingObjects } from "@trivium/domain";
import type { Kind } from "@trivium/kube";
import type { InferenceService } from "../../kinds/inference-service.ts";
import type { EntryComponents } from "./component.ts";
import type { EntryPlan, OpenEntry } from "./entry-plan.ts";
import { planEntryService } from "./entry-service.ts";
import { planHttpRoutes } from "./http-route.ts";
import { planIngress } from "./kubernetes-ingress.ts";
import { entryKinds, type ObservedEntry } from "./observe.ts";
import { planVirtualService } from "./virtual-service.ts";

export interface EntryRequest {
  readonly parts: EntryComponents;
  readonly plan: EntryPlan;
  readonly models: readonly string[];
  /** Annotations by which requests name adapters. */
  readonly adapters?: Readonly<Record<string, string>>;
}

type EntryObjects = Pick<ServingObjects, "addresses" | "aliases" | "routes" | "ingresses" | "virtualServices">;

/** Everything that leads to the service. */
export function planEntryObjects(service: InferenceService, request: EntryRequest): EntryObjects {
  const { parts, plan } = request;
  const { address, alias } = planEntryService(service, request);
  return {
    addresses: address === undefined ? [] : [address],
    aliases: alias === undefined ? [] : [alias],
    routes: [],
    ...(plan.is === "open" ? routesOf(service, parts, plan) : {}),
  };
}

/** What is wrong with the settings must not cut off clients that use the old routes: they stay. */
export function keptRoutes(
  plan: EntryPlan,
  { routes }: ObservedEntry = { routes: [] },
): { kind: Kind; name: string }[] {
  if (plan.is !== "faulty") return [];
  return routes.flatMap(({ kind: word, name }) => {
    const kind = entryKinds.find((one) => one.kind === word);
    return kind === undefined ? [] : [{ kind, name }];
  });
}

function routesOf(service: InferenceService, parts: EntryComponents, plan: OpenEntry): Partial<EntryObjects> {
  switch (plan.by) {
    case "HTTPRoute":
      return { routes: planHttpRoutes(service, parts, plan) };
    case "Ingress":
      return { ingresses: [planIngress(service, parts, plan)] };
    case "VirtualService":
      return { virtualServices: [planVirtualService(service, parts, plan)] };
  }
}
