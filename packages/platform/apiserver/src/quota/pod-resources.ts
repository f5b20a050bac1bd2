import type { api } from "@trivium/kube";
import type { Quantity } from "@trivium/std";
import { type Amounts, addTo, raiseTo, readAmounts } from "./amounts.ts";

/**
 * What a pod asks for, or may use, at its largest moment: all containers and sidecars together, or one init container with
 * the sidecars before it. What the pod states as a whole replaces the sum; overhead is added.
 */
export function podResources(spec: api.PodSpec, of: "requests" | "limits"): Map<string, Quantity> {
  const running = new Map<string, Quantity>();
  for (const container of spec.containers) addTo(running, readAmounts(container.resources?.[of]));
  const sidecars = new Map<string, Quantity>();
  const peak = new Map<string, Quantity>();
  for (const container of spec.initContainers ?? []) {
    const own = readAmounts(container.resources?.[of]);
    const moment = new Map(sidecars);
    addTo(moment, own);
    raiseTo(peak, moment);
    if (container.restartPolicy !== "Always") continue;
    addTo(running, own);
    addTo(sidecars, own);
  }
  raiseTo(running, peak);
  for (const [name, amount] of readAmounts(spec.resources?.[of])) running.set(name, amount);
  addTo(running, overheadOf(spec, of, running));
  return running;
}

/** Overhead raises limits only where there is one. */
function overheadOf(spec: api.PodSpec, of: "requests" | "limits", total: Amounts): Amounts {
  const overhead = readAmounts(spec.overhead);
  if (of === "requests") return overhead;
  return new Map([...overhead].filter(([name]) => total.has(name)));
}
