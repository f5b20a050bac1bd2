import type { Deployment, ReplicaSet } from "@trivium/kube";
import { maxSurgeOf, wantedOf } from "./limits.ts";

const prefix = "deployment.kubernetes.io";
export const revisionAnnotation = `${prefix}/revision`;
const historyAnnotation = `${prefix}/revision-history`;
const desiredAnnotation = `${prefix}/desired-replicas`;
const maxAnnotation = `${prefix}/max-replicas`;

/** Annotations of a deployment that its sets have in their own right, or not at all. */
const notCopied = new Set([
  "kubectl.kubernetes.io/last-applied-configuration",
  revisionAnnotation,
  historyAnnotation,
  desiredAnnotation,
  maxAnnotation,
  "deprecated.deployment.rollback.to",
]);
/** The history of revisions is cut at its beginning, so that the annotation stays short. */
const maxHistory = 2_000;

type Annotations = Readonly<Record<string, string>>;

/** Which rollout a set belongs to; nothing where the annotation is no number. */
export function revisionOf({ metadata }: ReplicaSet): number | undefined {
  const text = metadata.annotations?.[revisionAnnotation];
  if (text === undefined) return 0;
  return /^-?\d+$/.test(text) ? Number(text) : undefined;
}

export function maxRevisionOf(sets: readonly ReplicaSet[]): number {
  return Math.max(0, ...sets.map((set) => revisionOf(set) ?? 0));
}

export function desiredReplicasOf(set: ReplicaSet): number | undefined {
  return countIn(set, desiredAnnotation);
}

export function maxReplicasOf(set: ReplicaSet): number | undefined {
  return countIn(set, maxAnnotation);
}

function countIn({ metadata }: ReplicaSet, key: string): number | undefined {
  const text = metadata.annotations?.[key] ?? "";
  return /^\d{1,10}$/.test(text) ? Number(text) : undefined;
}

/** What sets remember of the size of their deployment: so a change of size is told from a rollout. */
export function sizeAnnotations(deployment: Deployment): Annotations {
  const wanted = wantedOf(deployment);
  return { [desiredAnnotation]: String(wanted), [maxAnnotation]: String(wanted + maxSurgeOf(deployment)) };
}

/** The annotations that the set with the current template should have, given what it has. */
export function currentAnnotations(deployment: Deployment, there: Annotations, revision: number): Annotations {
  const copied = Object.entries(deployment.metadata.annotations ?? {}).filter(([key]) => !notCopied.has(key));
  const annotations = { ...there, ...Object.fromEntries(copied) };
  const before = there[revisionAnnotation];
  if (before !== undefined && !/^\d+$/.test(before)) return annotations;
  if (Number(before ?? 0) >= revision) return annotations;
  const next = { ...annotations, [revisionAnnotation]: String(revision) };
  if (before === undefined) return next;
  return { ...next, [historyAnnotation]: appended(there[historyAnnotation], before) };
}

/** A set that is rolled back to keeps the numbers that it had. */
function appended(history: string | undefined, revision: string): string {
  const revisions = history === undefined || history === "" ? [revision] : [...history.split(","), revision];
  while (revisions.length > 1 && revisions.join(",").length > maxHistory) revisions.shift();
  return revisions.join(",");
}
