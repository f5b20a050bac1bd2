import type { SelectedService } from "../names/serving-labels.ts";
import type { ObservedService } from "../observed/observed-service.ts";
import { keptTemplate } from "../selection/kept-template.ts";
import type { ServerInput } from "./server-input.ts";

/** Where the pods that serve now run, if they are of the selected template. */
export function runningOf(
  { service, template }: SelectedService,
  observed: ObservedService,
): Pick<ServerInput, "running"> {
  const [live] = [observed.inferenceService, observed.deployment].flatMap((fact) =>
    fact.is === "known" ? [fact.value] : [],
  );
  if (live === undefined || !isAnswered(observed) || keptTemplate(service)?.name !== template.name) return {};
  return { running: live.nodes === undefined ? {} : { nodes: live.nodes } };
}

/** Whether pods serve now, of whichever template. */
export function isAnswered({ inferenceService, pods }: ObservedService): boolean {
  if (inferenceService.is === "known" && inferenceService.value.isReady) return true;
  return pods.some(({ isReady, isLeaving }) => isReady && !isLeaving);
}
