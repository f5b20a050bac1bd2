import { ConfigMap } from "@trivium/kube";
import type { Note, Patch } from "@trivium/reconcile";
import type { Stored } from "../../storage/place.ts";
import type { Candidates, ObservedNode } from "../observe.ts";
import { type FilesReported, warning } from "../status/file-status.ts";
import { describeDownloads, planDownloads } from "./downloads.ts";

interface ObservedNodes {
  readonly nodes: readonly ObservedNode[];
  readonly candidates?: Candidates | undefined;
}

/** What the nodes that there are say together. One that holds it is enough. */
export function gatherNodes({ status }: Stored, { nodes, candidates }: ObservedNodes): FilesReported {
  const present = nodes.filter(({ node }) => node.is === "known").sort((a, b) => (a.name < b.name ? -1 : 1));
  const those = (state: ObservedNode["entry"]["status"]): string[] =>
    present.filter(({ entry }) => entry.status === state).map(({ name }) => name);
  const [nodesReady, nodesFailed] = [those("Ready"), those("Failed")];
  const lists = { nodesReady, nodesFailed };
  if (nodesReady.length > 0)
    return {
      ...lists,
      state: "Ready",
      reason: "ModelReady",
      message: `Available on ${nodesReady.length === 1 ? "node" : "nodes"} ${nodesReady.join(", ")}`,
    };
  if (nodesFailed.length > 0) {
    const failed = present.find(({ entry }) => entry.status === "Failed") as ObservedNode;
    return { ...lists, state: "Failed", reason: "ModelDownloadFailed", message: failureOf(failed) };
  }
  const fetching = present.filter(({ entry }) => entry.status === "Updating");
  if (fetching.length > 0) {
    const all = fetching.map(({ name, entry }) => ({ name, progress: entry.progress, queued: entry.queued }));
    const downloads = planDownloads(all, status?.downloads);
    const message = describeDownloads(downloads, all.length);
    return { ...lists, state: "In_Transit", reason: "Downloading", message, downloads };
  }
  return { ...lists, state: "In_Transit", ...awaited(candidates) };
}

/** The reasons are the agent's own; where the files are is the only thing that a model says about them. */
const failureOf = ({ name, entry }: ObservedNode): string =>
  `Node ${name}: ${entry.message ?? "the node agent reports no cause"}; correct spec.storage if that is the cause; retrying automatically`;

/** Nobody has said anything yet: is there nobody, or does nobody speak? */
function awaited(candidates: Candidates | undefined): Pick<FilesReported, "reason" | "message"> {
  const { nodes = 0, eligible = 0 } = candidates ?? {};
  if (eligible === 0) {
    const message =
      nodes === 0
        ? "The cluster has no Node that could hold the model; add one"
        : `None of the ${nodes} nodes matches spec.storage.nodeSelector and spec.storage.nodeAffinity; correct them, or label a node`;
    return { reason: "NoEligibleNode", message };
  }
  const message = `Waiting for the node agents of ${eligible} of ${nodes} nodes to report; check that the node agent runs there`;
  return { reason: "WaitingForNodes", message };
}

/** What is worth an event: each node that failed, and that it is held. */
export function nodeNotes(nodes: readonly ObservedNode[], reported: FilesReported): Note[] {
  const ready: Note[] =
    reported.state === "Ready" ? [{ type: "Normal", reason: reported.reason, message: reported.message }] : [];
  const failures = nodes
    .filter(({ node, entry }) => node.is === "known" && entry.status === "Failed")
    .map((node) => warning("ModelDownloadFailed", failureOf(node)));
  return [...ready, ...failures];
}

/** What a node said that is no more is nobody's word. */
export const removals = (nodes: readonly ObservedNode[], namespace: string): Patch[] =>
  nodes
    .filter(({ node }) => node.is === "absent")
    .map(({ name, uid }) => ({ patch: "delete", kind: ConfigMap, ref: { namespace, name }, uid }));
