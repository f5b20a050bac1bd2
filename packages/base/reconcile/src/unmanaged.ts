import type { Condition, KubeObject } from "@trivium/kube";
import type { AnyReconciler } from "./shape.ts";
import type { StatusGuide } from "./status-guide.ts";

/** The reason of the condition that sums an object up, where nothing acts on objects of its API. */
export const unmanagedReason = "NotManaged";

/**
 * A reconciler of an API that is served and not run: it acts on nothing, and takes back that its objects are ready, because nobody would
 * notice when they no longer are. It has the name of the reconciler that acts, so that what that one wrote is its to change, and no
 * finalizer: nothing would take it off.
 */
export const leaveUnmanaged = (
  reconciler: AnyReconciler,
  { summary }: Pick<StatusGuide, "summary">,
  message: string,
): AnyReconciler => {
  const { name, kind, formerNames } = reconciler;
  return {
    ...{ name, kind, reads: [], writes: [] },
    ...(formerNames === undefined ? {} : { formerNames }),
    observe: () => ({}),
    decide: (object: KubeObject) => ({ do: "hold", status: unmanagedStatus(object, summary, message) }),
  };
};

interface CommonStatus {
  readonly conditions?: readonly Condition[];
  readonly [field: string]: unknown;
}

/** Fields with one word for the state of an object, by the name that each API has for it. */
const stateFields = ["status", "phase", "state"];

function unmanagedStatus(object: KubeObject, summary: string, message: string): CommonStatus {
  const { status = {} } = object as { readonly status?: CommonStatus };
  const kept = Object.entries(status).filter(([field]) => !stateFields.includes(field));
  const { generation } = object.metadata;
  const stamp = generation === undefined ? {} : { observedGeneration: generation };
  const others = (status.conditions ?? []).filter(({ type }) => type !== summary);
  const taken = { type: summary, status: "Unknown", reason: unmanagedReason, message, ...stamp };
  return { ...Object.fromEntries(kept), conditions: [...others, taken as Condition] };
}
