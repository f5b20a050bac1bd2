import type { DecidedCondition } from "@trivium/kube";
import type { Note } from "@trivium/reconcile";
import type { ModelPlace } from "../storage/place.ts";
import type { ObservedNode } from "./observe.ts";
import { type FilesReported, warning } from "./status/file-status.ts";
import { faultOf } from "./weights/node-reports.ts";

/** What is worth an event: that the files are available, and each failure. */
export function eventsOf(place: ModelPlace, nodes: readonly ObservedNode[], reported: FilesReported): Note[] {
  const { state, reason, message } = reported;
  const ready: Note[] = state === "Ready" ? [{ type: "Normal", reason, message }] : [];
  if (place.is !== "node") return state === "Failed" ? [warning(reason, message)] : ready;
  const failures = nodes
    .filter(({ node, entry }) => node.is === "known" && entry.status === "Failed")
    .map((node) => warning("ModelDownloadFailed", faultOf(node, place).message));
  return [...ready, ...failures];
}

/** That no node can load it is worth knowing before it is downloaded. */
export const fitEvents = (conditions: readonly DecidedCondition[]): Note[] =>
  conditions
    .filter(({ status }) => status === "False")
    .map(({ message }) => ({ type: "Warning", reason: "DoesNotFit", message }));
