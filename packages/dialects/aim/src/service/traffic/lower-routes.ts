import type { RoutePlan } from "@trivium/domain";
import { propagateLabels } from "../../runtime-config/settings/propagate-labels.ts";
import { routeLabel } from "../names/labels.ts";
import { addressNameOf, routeNameOf, type Service } from "../names/names.ts";
import { identityLabels } from "../names/serving-labels.ts";
import type { ServiceParts } from "../roles/service-parts.ts";

/** The route, as soon as it is known what it leads to; none where an older service has its path. */
export function lowerRoutes(
  service: Service,
  { routing, conflict, settings, selected }: Pick<ServiceParts, "routing" | "conflict" | "settings" | "selected">,
): RoutePlan[] {
  const { model, template } = selected;
  if (routing.is !== "on" || conflict !== undefined || settings === undefined) return [];
  if (model === undefined || template === undefined) return [];
  const { path, parent, timeout, annotations, key } = routing;
  const own = { ...identityLabels({ service, model, template }), [routeLabel]: key };
  return [
    {
      name: routeNameOf(service),
      labels: propagateLabels(settings, service.metadata.labels, own),
      annotations,
      parent,
      path,
      backends: [{ name: addressNameOf(service), port: 80, weight: 1 }],
      timeout,
    },
  ];
}
