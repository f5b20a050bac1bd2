import { ConfigMap, type Kind } from "@trivium/kube";
import type { Decision, Note, Touch } from "@trivium/reconcile";
import { type Instant, type Millis, parseTime } from "@trivium/std";
import type { BaseModel } from "../kinds/base-model.ts";
import type { OmeOptions } from "../options.ts";
import { type ModelPlace, placeOf } from "../storage/place.ts";
import type { ModelReason } from "../words.ts";
import { fillSpec } from "./discovered.ts";
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
      return decideClaim(model, place, seen.claim);
    case "node":
      return decideNodes(model, place, around);
  }
}

const failed: Status = { state: "Failed", nodesReady: [], nodesFailed: [] };
const warning = (reason: ModelReason, message: string): Note => ({ type: "Warning", reason, message });

/** A claim is no matter of nodes: bound means that the files can be had. */
function decideClaim(
  model: BaseModel,
  { namespace, claim }: Extract<ModelPlace, { is: "claim" }>,
  fact: ModelSeen["claim"],
): Decision<Status> {
  const name = `PersistentVolumeClaim ${claim} of namespace ${namespace}`;
  if (fact === undefined || fact.is === "pending" || fact.is === "unreachable")
    return { do: "hold", status: model.status ?? {} };
  if (fact.is === "absent") {
    const note = warning("ClaimNotFound", `${name} does not exist; create it, or correct storage.storageUri`);
    return { do: "hold", status: failed, notes: [note] };
  }
  const status: Status = { state: "In_Transit", nodesReady: [], nodesFailed: [] };
  if (fact.value.phase === "Lost")
    return { do: "hold", status: failed, notes: [warning("ClaimNotBound", `${name} lost its volume`)] };
  // A claim that waits for its first pod is bound by it; whoever mounts it comes first.
  return { do: "hold", status: fact.value.phase === "Bound" ? { ...status, state: "Ready" } : status };
}

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
  const filled = fillSpec(model, config, uri.scheme === "local" ? undefined : path);
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
