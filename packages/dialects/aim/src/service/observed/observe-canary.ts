import { observeCanary as observeNames, servingAnnotations } from "@trivium/engines";
import { templateAnnotation } from "../names/labels.ts";
import { canaryNamesOf, type Service } from "../names/names.ts";
import type { ObservedService } from "./observed-service.ts";
import type { ServiceReader } from "./reads.ts";

/** What runs beside the server while a canary is asked for. */
export function observeCanary(service: Service, reader: ServiceReader): Pick<ObservedService, "canary"> {
  const { annotations = {} } = service.metadata;
  if (annotations[servingAnnotations.canaryPercent] === undefined) return {};
  return { canary: observeNames(service, { names: canaryNamesOf(service), template: templateAnnotation, reader }) };
}
