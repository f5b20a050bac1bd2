import { isServed } from "@trivium/domain";
import {
  canaryReads,
  type ObservedCanary,
  observeCanary,
  parseGatewayReference,
  type RouteParentReport,
  readRouteParents,
  servingAnnotations,
} from "@trivium/engines";
import { Gateway, HTTPRoute, type Kind } from "@trivium/kube";
import { isUnresolved, type Reader } from "@trivium/reconcile";
import { type Fact, known } from "@trivium/std";
import type { InferenceService } from "../../kinds/inference-service.ts";
import { templateAnnotation } from "../../names.ts";
import type { LlmkubeOptions } from "../../options.ts";
import { canaryNamesOf } from "../names/service-names.ts";

/** The route of a service for which a Gateway is named, and what runs beside it. */
export interface ObservedRouting {
  readonly gateway: { readonly namespace: string; readonly name: string };
  /** Whether the Gateway API is installed. */
  readonly served: Fact<boolean>;
  readonly parents: Fact<readonly RouteParentReport[]>;
  /** Looked for only while no Gateway has answered. */
  readonly isGatewayMissing?: true;
  /** Only where a canary is requested. */
  readonly canary?: ObservedCanary;
}

export const routingReads = [HTTPRoute, Gateway, ...canaryReads] as const satisfies readonly Kind[];
type RoutingReader = Reader<(typeof routingReads)[number]>;

/** Nothing where no Gateway is named: then a service has no route. */
export function observeRouting(
  service: InferenceService,
  reader: RoutingReader,
  options: LlmkubeOptions,
): { readonly routing?: ObservedRouting } {
  const { namespace = "", name = "", annotations = {} } = service.metadata;
  const found = parseGatewayReference(annotations[servingAnnotations.gateway]?.trim() ?? options.gateway ?? "");
  if (found === undefined) return {};
  const gateway = { namespace, ...found };
  const nothing = { gateway, parents: known([]) };
  const served = reader.ask(isServed, { group: HTTPRoute.group, kind: HTTPRoute.kind });
  if (served.is !== "known" || !served.value) return { routing: { ...nothing, served } };
  const route = reader.get(HTTPRoute, { namespace, name });
  const parents =
    route.is === "known" ? known(readRouteParents(route.value)) : route.is === "absent" ? known([]) : route;
  const isAnswered = isUnresolved(parents) || (parents.is === "known" && parents.value.length > 0);
  const isMissing = !isAnswered && reader.get(Gateway, gateway).is === "absent";
  return {
    routing: {
      gateway,
      served,
      parents,
      ...(isMissing ? { isGatewayMissing: true } : {}),
      ...observeTrial(service, reader),
    },
  };
}

function observeTrial(service: InferenceService, reader: RoutingReader): Pick<ObservedRouting, "canary"> {
  const { annotations = {} } = service.metadata;
  if (annotations[servingAnnotations.canaryPercent] === undefined) return {};
  return { canary: observeCanary(service, { names: canaryNamesOf(service), template: templateAnnotation, reader }) };
}
