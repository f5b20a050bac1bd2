import { ConfigMap, type Kind } from "@trivium/kube";
import type { Decision, Note, Touch } from "@trivium/reconcile";
import { type Instant, type Millis, parseTime } from "@trivium/std";
import type { BaseModel } from "../kinds/base-model.ts";
import { skipAnnotations } from "../names.ts";
import type { OmeOptions } from "../options.ts";
import { type ModelPlace, placeOf } from "../storage/place.ts";
import type { ModelReason } from "../words.ts";
import { parseReading, readingJob, readingNameOf } from "./claim-reading.ts";
import { claimReadFor, fillSpec } from "./discovered.ts";
import type { ModelSeen, NodeSeen } from "./observe.ts";

type Status = NonNullable<BaseModel["status"]>;
export interface Around {
  readonly kind: Kind<BaseModel>;
  readonly options: OmeOptions;
  readonly seen: ModelSeen;
  readonly now: Instant;
}

export function decideModel(model: BaseModel, around: Around): Decision<Status> {
  const { seen, options } = around;
  const isDark = seen.nodes.some(({ node }) => node.is === "pending" || node.is === "unreachable");
  if (isDark) return { do: "hold", status: model.status ?? {} };
  if (model.metadata.deletionTimestamp !== undefined) return decideDeletion(model, around);
  const place = placeOf(model, options);
  switch (place.is) {
    case "faulty":
      return { do: "hold", status: failed, notes: [warning("InvalidStorage", place.why)] };
    case "claim":
      return decideClaim(model, place, around);
    case "node":
      return decideNodes(model, place, around);
  }
}

const failed: Status = { state: "Failed", nodesReady: [], nodesFailed: [] };
const warning = (reason: ModelReason, message: string): Note => ({ type: "Warning", reason, message });

/** A claim is no matter of nodes: whether its files can be had, and what they are, a Job finds out that mounts it. */
function decideClaim(
  model: BaseModel,
  place: Extract<ModelPlace, { is: "claim" }>,
  { kind, seen, options }: Around,
): Decision<Status> {
  const { claim, reading } = seen;
  const name = `PersistentVolumeClaim ${place.claim} of namespace ${place.namespace}`;
  const isDark = ({ is }: { is: string }): boolean => is === "pending" || is === "unreachable";
  if (claim === undefined || reading === undefined || isDark(claim) || isDark(reading.job))
    return { do: "hold", status: model.status ?? {} };
  if (claim.is !== "known") {
    const note = warning("ClaimNotFound", `${name} does not exist; create it, or correct storage.storageUri`);
    return { do: "hold", status: failed, notes: [note] };
  }
  if (claim.value.phase === "Lost")
    return { do: "hold", status: failed, notes: [warning("ClaimNotBound", `${name} lost its volume`)] };
  const { storageUri } = model.spec.storage;
  const isRead = claimReadFor(model) === storageUri || isUnread(model);
  const config = reading.answer?.is === "known" ? parseReading(reading.answer.value) : undefined;
  const found =
    config !== undefined || isRead
      ? fillSpec(model, { config, ...(isUnread(model) ? {} : { claim: storageUri }) })
      : undefined;
  const hasFailed = !isRead && reading.job.is === "known" && reading.job.value.hasFailed;
  const why = `${name}: what is at ${place.subPath} cannot be read: ${reading.lastWords ?? "the Job failed"}. Delete Job ${readingNameOf(model)} to have it tried again`;
  const isReady = (isRead || config !== undefined) && claim.value.phase === "Bound";
  return {
    do: "converge",
    children: isRead ? [] : [readingJob(model, place, options)],
    ...(found === undefined ? {} : { touches: [{ touch: "fields", kind: nameOf(kind), object: found }] }),
    status: hasFailed ? failed : { state: isReady ? "Ready" : "In_Transit", nodesReady: [], nodesFailed: [] },
    notes: hasFailed
      ? [warning("ClaimUnreadable", why)]
      : isReady
        ? [{ type: "Normal", reason: "ModelReady", message: `In ${name}` }]
        : [],
  };
}

/** Whether a person does not want the files to be looked into. */
const isUnread = ({ metadata }: BaseModel): boolean =>
  skipAnnotations.some((key) => metadata.annotations?.[key] === "true");

function decideNodes(
  model: BaseModel,
  { path, uri }: Extract<ModelPlace, { is: "node" }>,
  { kind, seen, options }: Around,
): Decision<Status> {
  const present = seen.nodes.filter(({ node }) => node.is === "known");
  const those = (status: NodeSeen["entry"]["status"]): string[] =>
    present
      .filter(({ entry }) => entry.status === status)
      .map(({ name }) => name)
      .sort();
  const [nodesReady, nodesFailed] = [those("Ready"), those("Failed")];
  const state = nodesReady.length > 0 ? "Ready" : nodesFailed.length > 0 ? "Failed" : "In_Transit";
  const config = present.find(({ entry }) => entry.status === "Ready" && entry.config !== undefined)?.entry.config;
  const filled = fillSpec(model, { config, ...(uri.scheme === "local" ? {} : { path }) });
  const touches: Touch[] = [
    ...(filled === undefined ? [] : [{ touch: "fields", kind: nameOf(kind), object: filled } as const]),
    ...removals(seen, options.namespace),
  ];
  return {
    do: "converge",
    children: [],
    ...(touches.length === 0 ? {} : { touches }),
    status: { state, nodesReady, nodesFailed },
    notes: notesOf(present, nodesReady),
  };
}

/** The kind without its schema, so that a decision can be read. */
const nameOf = ({ group, version, kind, plural, namespaced }: Kind): Kind => ({
  group,
  version,
  kind,
  plural,
  namespaced,
});

/** What a node said that is no more is nobody's word. */
const removals = ({ nodes }: ModelSeen, namespace: string): Touch[] =>
  nodes
    .filter(({ node }) => node.is === "absent")
    .map(({ name, uid }) => ({ touch: "delete", kind: ConfigMap, ref: { namespace, name }, uid }));

function notesOf(present: readonly NodeSeen[], nodesReady: readonly string[]): Note[] {
  const ready: Note[] =
    nodesReady.length === 0
      ? []
      : [{ type: "Normal", reason: "ModelReady", message: `Held by ${nodesReady.join(", ")}` }];
  const failures = present
    .filter(({ entry }) => entry.status === "Failed")
    .map(({ name, entry }) =>
      warning("ModelDownloadFailed", `Node ${name}: ${entry.message ?? "it does not say why"}`),
    );
  return [...ready, ...failures];
}

/** So long a node that is not well may keep a model from going. */
const patience: Millis = 10 * 60_000;
/** Set to "true" on a model, nobody is waited for. */
const forceAnnotation = "ome.io/force-delete";

function decideDeletion(model: BaseModel, { seen, now }: Around): Decision<Status> {
  const { deletionTimestamp, annotations } = model.metadata;
  const active = seen.nodes.filter(({ node, entry }) => node.is === "known" && entry.status !== "Deleted");
  const since = parseTime(deletionTimestamp ?? "") ?? now;
  const isPatient = now - since < patience;
  const well = active.filter(({ node }) => node.is === "known" && node.value.isReady);
  const awaited = isPatient ? active : well;
  if (awaited.length === 0 || annotations?.[forceAnnotation] === "true") return { do: "release" };
  // Patience ends what only nodes that are not well are in the way of.
  const recheckIn = Math.max(1_000, patience - (now - since));
  return { do: "hold", status: model.status ?? {}, ...(well.length === 0 ? { recheckIn } : {}) };
}
