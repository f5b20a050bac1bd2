import type { AnyObject, api, LimitRange } from "@trivium/kube";
import type { Call } from "../call.ts";
import { forbidden } from "../refusals.ts";
import { storeName } from "../registry.ts";
import { checkClaimLimits, checkPodLimits } from "./check.ts";
import { applyLimitRanges } from "./defaults.ts";

function rangesOf({ backend, namespace }: Call): LimitRange[] {
  return Array.from(
    backend.storage.store.list("limitranges", { namespace }),
    ({ text }) => JSON.parse(text) as LimitRange,
  );
}

/** Fills in what a new pod leaves open. Pods that exist keep what they have. */
export function fillByLimitRanges(call: Call, object: AnyObject): void {
  if (storeName(call.resource) === "pods") applyLimitRanges(object as unknown as api.Pod, rangesOf(call));
}

/** Refuses new pods, and new or changed claims, outside the bounds of the namespace. */
export function enforceLimitRanges(call: Call, object: AnyObject, old?: AnyObject): void {
  const resource = storeName(call.resource);
  if (resource !== "persistentvolumeclaims" && (resource !== "pods" || old !== undefined)) return;
  for (const range of rangesOf(call)) {
    const faults =
      resource === "pods"
        ? checkPodLimits(object as unknown as api.Pod, range)
        : checkClaimLimits(object as unknown as api.PersistentVolumeClaim, range);
    const [first] = faults;
    if (first === undefined) continue;
    throw forbidden(call.resource, object.metadata.name ?? "", faults.length === 1 ? first : `[${faults.join(", ")}]`);
  }
}
