import type { DaemonSet } from "@trivium/kube";
import { scaledValue } from "../pods/int-or-percent.ts";

/** How many nodes may have a pod too many or too few during an update. Where both come to nothing one may be missing. */
export function limitsOf(set: DaemonSet, nodes: number): { readonly surge: number; readonly unavailable: number } {
  const { type, rollingUpdate } = set.spec.updateStrategy ?? {};
  if (type === "OnDelete") return { surge: 0, unavailable: 0 };
  const surge = scaledValue(rollingUpdate?.maxSurge, nodes, "up");
  const unavailable = scaledValue(rollingUpdate?.maxUnavailable, nodes, "up");
  return { surge, unavailable: nodes > 0 && surge === 0 && unavailable === 0 ? 1 : unavailable };
}

export const allowsSurge = (set: DaemonSet): boolean => limitsOf(set, 1).surge > 0;
