import type { Decision } from "@trivium/reconcile";
import { type Instant, type Millis, parseTime } from "@trivium/std";
import type { Stored } from "../../storage/place.ts";
import type { ObservedNode } from "../observe.ts";
import type { FileStatus } from "../status/file-status.ts";

/** So long a node that is not well may keep a model from going. */
const patience: Millis = 10 * 60_000;
/** Set to "true" on a model, nobody is waited for. */
const forceAnnotation = "ome.io/force-delete";

/** It goes when all nodes have let go of its files. */
export function decideDeletion(object: Stored, nodes: readonly ObservedNode[], now: Instant): Decision<FileStatus> {
  const { deletionTimestamp, annotations } = object.metadata;
  const active = nodes.filter(({ node, entry }) => node.is === "known" && entry.status !== "Deleted");
  const since = parseTime(deletionTimestamp ?? "") ?? now;
  const isPatient = now - since < patience;
  const well = active.filter(({ node }) => node.is === "known" && node.value.isReady);
  const awaited = isPatient ? active : well;
  if (awaited.length === 0 || annotations?.[forceAnnotation] === "true") return { do: "release" };
  // Patience ends what only nodes that are not well are in the way of.
  const recheckIn = Math.max(1_000, patience - (now - since));
  return { do: "hold", status: object.status ?? {}, ...(well.length === 0 ? { recheckIn } : {}) };
}
