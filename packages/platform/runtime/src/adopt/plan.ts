import { controllerOf, type Kind, type KubeObject, type Ref } from "@trivium/kube";
import { type Decision, type Note, parseRendered, renderedAnnotation } from "@trivium/reconcile";
import { isMadeByOther, isStray } from "../apply/apply.ts";
import { type Child, childId, childrenOf, describeChild, isOurs } from "../apply/child.ts";
import { withKeptTargets } from "../apply/kept-target.ts";
import { Report } from "../apply/report.ts";
import { contains } from "../apply/satisfied.ts";
import type { WriteContext } from "../apply/write-context.ts";
import { isUsedAsItIs } from "./policy.ts";

/** What a safe take-over does with one object. */
export const takeOverOutcomes = ["deleted", "created", "changed", "kept", "taken", "left"] as const;
export type TakeOverOutcome = (typeof takeOverOutcomes)[number];

export interface TakeOverStep {
  readonly outcome: TakeOverOutcome;
  /** Kind, namespace and name. */
  readonly object: string;
}

/** What a safe take-over of an object would do with its children, from the decision about it; nothing is written. */
export function planTakeOver(context: WriteContext, decision: Decision<unknown>): readonly TakeOverStep[] {
  if (decision.do !== "converge") return [];
  const planned: WriteContext = { ...context, adopt: "safe", report: new Report() };
  const children = childrenOf(context.object, decision.children);
  const wanted = new Set(children.map(({ id }) => id));
  const steps = withKeptTargets(planned, children).flatMap((child): TakeOverStep[] => {
    if (child.desired.keep) return [];
    const live = context.caches.of(child.kind).get(child.ref);
    const object = describeChild(child.kind, child.ref);
    if (live === undefined) return [{ outcome: "created", object }];
    const isChildOurs = isOurs(child, live, context.object, false);
    if (!isChildOurs || isUsedAsItIs(child.kind) || child.desired.createOnly) return [{ outcome: "left", object }];
    if (keepsPods(child)) return [{ outcome: "kept", object }];
    return [{ outcome: contains(contentOf(live), contentOf(child.object)) ? "taken" : "changed", object }];
  });
  return [...steps, ...unwanted(planned, wanted)].sort((a, b) => rank(a) - rank(b));
}

function keepsPods({ object }: Child): boolean {
  const text = object.metadata.annotations?.[renderedAnnotation];
  return text !== undefined && parseRendered(text)?.isKept === true;
}

const rank = ({ outcome }: TakeOverStep): number => takeOverOutcomes.indexOf(outcome);

/** Owners and our own record of the pods are written by every take-over. */
function contentOf({ metadata, ...content }: KubeObject): object {
  return { ...content, apiVersion: undefined, kind: undefined, metadata: { labels: metadata.labels } };
}

/** What the other operator has created and we would not. */
function unwanted(context: WriteContext, wanted: ReadonlySet<string>): TakeOverStep[] {
  const { caches, object, reconciler } = context;
  const owner = object.metadata.uid;
  if (owner === undefined) return [];
  return reconciler.writes.flatMap((kind) =>
    caches
      .of(kind)
      .list({ owner })
      .filter((live) => controllerOf(live)?.uid === owner && isMadeByOther(context, live))
      .filter((live) => !wanted.has(childId(kind, refOf(kind, live))))
      .map((live) => ({
        outcome: isStray(context, kind, live) ? ("deleted" as const) : ("left" as const),
        object: describeChild(kind, refOf(kind, live)),
      })),
  );
}

function refOf(kind: Kind, { metadata: { name = "", namespace } }: KubeObject): Ref {
  return kind.namespaced ? { namespace, name } : { name };
}

export const phrases: Readonly<Record<TakeOverOutcome, string>> = {
  deleted: "deletes",
  created: "creates",
  changed: "changes without a restart",
  kept: "keeps the pods of",
  taken: "takes over unchanged",
  left: "leaves alone",
};

/** The plan as an Event of the object. */
export function describeTakeOver(steps: readonly TakeOverStep[]): Note {
  const groups = Map.groupBy(steps, ({ outcome }) => outcome);
  const parts = [...groups].map(
    ([outcome, all]) => `${phrases[outcome]} ${all.map(({ object }) => object).join(", ")}`,
  );
  const what = parts.length === 0 ? "changes the status only" : parts.join("; ");
  const message = `Nothing is changed with --adopt=plan. With --adopt=safe the operator ${what}`;
  return { type: "Normal", reason: "TakeOverPlanned", action: "Plan", message };
}
