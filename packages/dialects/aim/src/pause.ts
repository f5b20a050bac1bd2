import type { AnyReconciler } from "@trivium/reconcile";
import { annotations } from "./labels.ts";

/** An object that says so is left as it is: neither its children nor its status are written, until the annotation goes. */
export function pausable(reconciler: AnyReconciler): AnyReconciler {
  return {
    ...reconciler,
    decide(object, observed, now) {
      const isPaused = object.metadata.annotations?.[annotations.paused] === "true";
      // One that is being deleted must not be kept by a note on it.
      if (!isPaused || object.metadata.deletionTimestamp !== undefined) return reconciler.decide(object, observed, now);
      return { do: "hold", status: object.status };
    },
  };
}
