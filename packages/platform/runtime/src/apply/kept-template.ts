import { hash } from "node:crypto";
import { controllerOf, groupResourceOf, type KubeObject } from "@trivium/kube";
import { formatRendered, type Note, parseRendered, type Rendered, renderedAnnotation } from "@trivium/reconcile";
import { canonicalJson, isObject, type Json } from "@trivium/std";
import { isChanged, isReportedByOther } from "../adopt/kept-whole.ts";
import { isKeptWhole } from "../adopt/policy.ts";
import { type Child, describeChild } from "./child.ts";
import { contains } from "./satisfied.ts";
import type { WriteContext } from "./write-context.ts";

/** The field of each kind whose change restarts pods. */
const templateFields: Readonly<Record<string, string>> = {
  "deployments.apps": "template",
  "services.serving.knative.dev": "template",
  "leaderworkersets.leaderworkerset.x-k8s.io": "leaderWorkerTemplate",
  "inferenceservices.serving.kserve.io": "predictor",
};

/**
 * A new release, or the same one with other options, may render the pods of a service differently although nobody changed the service.
 * That is no reason to restart what serves: the pods of the earlier release are kept until an input of the service changes.
 */
export function withKeptTemplate(context: WriteContext, child: Child, live: KubeObject | undefined): Child {
  const { release = noRelease, reconciler } = context;
  const field = templateFields[groupResourceOf(child.kind)];
  const wanted = field === undefined ? undefined : specOf(child.object)[field];
  if (reconciler.podMark === undefined || field === undefined || wanted === undefined) return child;
  const mark = markIn(wanted, reconciler.podMark) ?? "";
  const next = { release, mark, digest: hash("sha256", canonicalJson(wanted)).slice(0, 16) };
  const running = live === undefined ? undefined : specOf(live)[field];
  const fresh = release === noRelease ? child : recorded(child, { ...next, isKept: false });
  if (live === undefined || running === undefined) return fresh;
  const isWhole = isKeptWhole(child.kind);
  if (isWhole && isUpstreams(context, live) && isChanged(context)) return fresh;
  const keptAt = keptAtTakeOver(context, live);
  const isKept = keptAt !== undefined || (release !== noRelease && keeps(context, live, { ...next, wanted, running }));
  if (!isKept) return fresh;
  if (!isWhole || !isUpstreams(context, live) || isReportedByOther(context)) announce(context, child, live, release);
  const { selector } = specOf(live);
  // A selector cannot be changed: another one would mean another workload, and other pods.
  const kept = { [field]: running, ...(keptAt === undefined || selector === undefined ? {} : { selector }) };
  const object = { ...child.object, spec: { ...specOf(child.object), ...kept } };
  return recorded({ ...child, object }, { ...next, isKept, keptAt });
}

/** Where every release renders pods again, only those of a take-over are kept. */
const noRelease = "any";

/**
 * The generation of the service for which the pods of another operator are kept. They stay, whatever of our own rendering changes
 * meanwhile, until the service itself changes: models and caches get our status one after the other, and each may change the rendering.
 */
function keptAtTakeOver(
  { adopt, caches, object: owner, reconciler }: WriteContext,
  live: KubeObject,
): number | undefined {
  const text = live.metadata.annotations?.[renderedAnnotation];
  const before = text === undefined ? undefined : parseRendered(text);
  const { generation } = owner.metadata;
  if (adopt !== "safe" || generation === undefined || (text !== undefined && before === undefined)) return undefined;
  const isTaken = isUpstreams({ caches, reconciler }, live) || isMoved({ caches, reconciler }, live);
  return isTaken || before?.keptAt === generation ? generation : undefined;
}

/** Whether a service that was moved to another API left it: without an owner, and with fields of the reconciler of that API. */
function isMoved({ caches, reconciler }: Pick<WriteContext, "caches" | "reconciler">, live: KubeObject): boolean {
  if (controllerOf(live) !== undefined) return false;
  return (reconciler.formerNames ?? []).some((name) => caches.fieldRecord.fieldsOf(live, name) !== undefined);
}

const isUpstreams = ({ caches, reconciler }: Pick<WriteContext, "caches" | "reconciler">, live: KubeObject): boolean =>
  reconciler.upstream !== undefined && caches.fieldRecord.makerOf(live) !== undefined;

interface Compared {
  readonly release: string;
  readonly digest: string;
  readonly wanted: unknown;
  readonly running: unknown;
}

function keeps(context: WriteContext, live: KubeObject, compared: Compared): boolean {
  const { release, digest, wanted, running } = compared;
  const text = live.metadata.annotations?.[renderedAnnotation];
  const before = text === undefined ? undefined : parseRendered(text);
  // Anything else in the annotation is how an administrator asks for the pods of this release.
  if (text !== undefined && before === undefined) return false;
  // Those of another operator are kept above, or not at all.
  if (before?.keptAt !== undefined || isUpstreams(context, live)) return false;
  if (before?.release === release) return before.isKept && before.digest === digest;
  return isServed(context.object) && !contains(running, wanted);
}

/** Whether the release before had seen the object as it is now. */
function isServed(owner: KubeObject): boolean {
  const { generation } = owner.metadata;
  const { status } = owner as { status?: { observedGeneration?: number; conditions?: readonly Condition[] } };
  const conditions = status?.conditions?.flatMap(({ observedGeneration = [] }) => observedGeneration) ?? [];
  const seen = status?.observedGeneration ?? (conditions.length === 0 ? undefined : Math.min(...conditions));
  return generation !== undefined && seen === generation;
}

interface Condition {
  readonly observedGeneration?: number;
}

/** Told once: when the record of the earlier release is replaced. */
function announce({ caches, report }: WriteContext, { kind, ref }: Child, live: KubeObject, release: string): void {
  if (live.metadata.annotations?.[renderedAnnotation]?.startsWith(`${release} `)) return;
  const what = describeChild(kind, ref);
  const way = `change the service, or set annotation ${renderedAnnotation} of ${kind.kind} ${ref.name} to outdated`;
  const maker = caches.fieldRecord.makerOf(live);
  const former =
    controllerOf(live) === undefined ? "the service that it replaces" : "the previous release of the operator";
  const author = maker === undefined ? former : `field manager ${maker}`;
  const note: Note = {
    type: "Normal",
    reason: "PodsKept",
    action: "Apply",
    message: `${what} keeps the pods of ${author}; to update them, ${way}`,
  };
  report.notes.push(note);
}

function recorded(child: Child, rendered: Rendered): Child {
  const { object } = child;
  const annotations = { ...object.metadata.annotations, [renderedAnnotation]: formatRendered(rendered) };
  return { ...child, object: { ...object, metadata: { ...object.metadata, annotations } } };
}

/** The mark of the pods in a template; of a group of pods that of the first. */
function markIn(value: unknown, key: string): string | undefined {
  if (!isObject(value)) return undefined;
  const { [key]: found } = value;
  if (typeof found === "string") return found;
  for (const inner of Object.values(value)) {
    const below = markIn(inner, key);
    if (below !== undefined) return below;
  }
  return undefined;
}

function specOf(object: KubeObject): Record<string, Json | undefined> {
  const { spec } = object as { spec?: unknown };
  return isObject(spec) ? (spec as Record<string, Json>) : {};
}
