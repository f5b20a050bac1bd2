import type { Container, Pod } from "../kinds/index.ts";
import { type Amounts, addTo, amountsOf, raiseTo } from "./amounts.ts";

const isSidecar = ({ restartPolicy }: Container): boolean => restartPolicy === "Always";

/**
 * What a pod takes of a node at its hungriest moment: all containers and sidecars together, or one init container with the sidecars
 * that were started before it. What the pod asks for as a whole replaces the sum of its containers; overhead comes on top.
 */
export function requestsOf({ spec }: Pod): Amounts {
  if (spec === undefined) return new Map();
  const total = containersTogether(spec.containers, spec.initContainers ?? []);
  for (const [resource, amount] of amountsOf(spec.resources?.requests)) total.set(resource, amount);
  addTo(total, amountsOf(spec.overhead));
  return total;
}

function containersTogether(containers: readonly Container[], starting: readonly Container[]): Map<string, number> {
  const running = new Map<string, number>();
  for (const { resources } of containers) addTo(running, amountsOf(resources?.requests));
  const sidecars = new Map<string, number>();
  const peak = new Map<string, number>();
  for (const container of starting) {
    const requests = amountsOf(container.resources?.requests);
    if (isSidecar(container)) {
      addTo(running, requests);
      addTo(sidecars, requests);
      raiseTo(peak, sidecars);
      continue;
    }
    const moment = new Map(sidecars);
    addTo(moment, requests);
    raiseTo(peak, moment);
  }
  raiseTo(running, peak);
  return running;
}
