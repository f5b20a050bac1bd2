import type { Decision, Note } from "@trivium/reconcile";
import { assertNever, isObject } from "@trivium/std";
import { applyChildren } from "./apply.ts";
import { addFinalizer, dropFinalizer, hasFinalizer, hasUpstreamFinalizer, isDeleting } from "./finalizer.ts";
import { writeStatus } from "./status.ts";
import type { WriteContext } from "./write-context.ts";

/** Does what was decided. Children come before status: a status that is written says what is already so. */
export async function carryOut(context: WriteContext, decision: Decision<unknown>): Promise<readonly Note[]> {
  switch (decision.do) {
    case "converge":
      await addFinalizer(context);
      await applyChildren(context, decision.children, decision.patches);
      if (isChangingAtOnce(context)) return leaveToNextPass(context);
      await finishStatus(context, decision.status);
      return [...(decision.notes ?? []), ...context.report.notes];
    case "hold":
      await writeStatus(context, decision.status);
      return [...(decision.notes ?? []), ...context.report.notes];
    case "release":
      await release(context);
      return [];
    default:
      return assertNever(decision);
  }
}

/**
 * The first status of an object whose children were created in this pass: their controllers change it within a moment, so it is written once,
 * by the pass that follows as soon as the caches have seen the children.
 */
function isChangingAtOnce({ object, report }: WriteContext): boolean {
  const { status } = object as { status?: object };
  const hasStatus = status !== undefined && Object.keys(status).length > 0;
  return report.created > 0 && !hasStatus && report.failures.length === 0 && report.refusals.length === 0;
}

/** What was decided holds for a moment only; what was done is told. */
function leaveToNextPass({ report }: WriteContext): readonly Note[] {
  report.isStatusDue = true;
  return report.notes;
}

/** What was done is told even if the status has to be tried again: the next pass does not do it once more. */
async function finishStatus(context: WriteContext, decided: unknown): Promise<void> {
  await writeStatus(context, statusOf(context, decided)).catch(
    (error: unknown) => void context.report.failures.push(asError(error)),
  );
}

/** What was decided; where children were refused, with that as the cause. */
function statusOf({ reconciler, object, report, now }: WriteContext, decided: unknown): unknown {
  if (report.refusals.length === 0 || reconciler.refused === undefined || !isObject(decided)) return decided;
  return reconciler.refused(object, decided, report.refusals, now) as unknown;
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

async function release(context: WriteContext): Promise<void> {
  const { object, reconciler } = context;
  if (!isDeleting(object)) {
    throw new Error(`${reconciler.name} releases ${object.metadata.name}, which is not being deleted`);
  }
  if (hasFinalizer(object, reconciler.finalizer) || hasUpstreamFinalizer(object, reconciler))
    await dropFinalizer(context);
}
