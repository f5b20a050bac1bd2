import type { Service } from "../names/names.ts";
import type { ObservedService } from "../observed/observed-service.ts";
import { isAnswered } from "../roles/running.ts";

/**
 * What of its own status a service is decided by. Which template was chosen matters once pods of it serve: until then the same one is
 * chosen again of the same candidates. A default template that is ignored is reported with the choice alone.
 */
export function recallService(service: Service, observed: ObservedService): unknown {
  const { status: state, resolvedTemplate } = service.status ?? {};
  const isKept = isAnswered(observed) || observed.usual !== undefined;
  return {
    wasServing: state === "Running",
    template: isKept ? resolvedTemplate : undefined,
  };
}
