import type { Kind, KubeObject } from "@trivium/kube";
import { renderedAnnotation } from "@trivium/reconcile";
import type { WriteContext } from "../apply/write-context.ts";
import { isKeptWhole } from "./policy.ts";

/**
 * Whether an object of another operator is not written at all in a safe take-over, until the service changes: whatever is written to it
 * reaches its pods. An administrator asks for our pods with the annotation that records what was rendered.
 */
export function isLeftUntilChanged(context: WriteContext, kind: Kind, live: KubeObject): boolean {
  if (context.adopt !== "safe" || !isKeptWhole(kind) || isChanged(context)) return false;
  return live.metadata.annotations?.[renderedAnnotation] === undefined;
}

/**
 * The same of an object that a service of another API has left to ours, whose former reconciler still owns its fields: only its owner
 * changes, until the service does.
 */
export const isLeftAfterMove = (context: WriteContext, kind: Kind, former: readonly string[]): boolean =>
  context.adopt === "safe" && former.length > 0 && isKeptWhole(kind) && !isChanged(context);

/** Whether the service has changed since our last status of it. What the other operator reported is no evidence of that. */
export function isChanged({ caches, object }: Pick<WriteContext, "caches" | "object">): boolean {
  if (isReportedByOther({ caches, object })) return false;
  const { status } = object as { status?: { observedGeneration?: number } };
  return status?.observedGeneration !== undefined && status.observedGeneration !== object.metadata.generation;
}

export const isReportedByOther = ({ caches, object }: Pick<WriteContext, "caches" | "object">): boolean =>
  caches.fieldRecord.reporterOf(object) !== undefined;
