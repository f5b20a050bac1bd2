import type { RoutePlan } from "@trivium/domain";
import type { InferenceService } from "../../kinds/inference-service.ts";
import { objectNameOf } from "../names/labels.ts";
import { backendsOf, type EntryComponent, type EntryComponents } from "./component.ts";
import { entryLabels } from "./entry-labels.ts";
import type { OpenEntry } from "./entry-plan.ts";
import { timeoutOf } from "./timeouts.ts";

/** A route to the service, and one to each component where there are several. */
export function planHttpRoutes(
  service: InferenceService,
  { components, entry }: EntryComponents,
  { hosts, settings }: OpenEntry,
): RoutePlan[] {
  const [namespace = "", name = ""] = settings.gateway.split("/");
  const labels = entryLabels(service);
  const routeTo = (target: EntryComponent, route: Pick<RoutePlan, "name" | "hostnames" | "path">): RoutePlan => ({
    ...route,
    labels,
    parent: { name, namespace },
    backends: backendsOf(target),
    timeout: timeoutOf(target),
  });
  return [
    routeTo(entry, { name: service.metadata.name ?? "", hostnames: hosts.top, path: hosts.path }),
    ...components.flatMap((component) => {
      const hostnames = hosts.components[component.name];
      return hostnames === undefined
        ? []
        : [routeTo(component, { name: objectNameOf(service, component.name), hostnames })];
    }),
  ];
}
