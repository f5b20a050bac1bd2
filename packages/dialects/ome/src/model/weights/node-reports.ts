import type { PreparationFault, TaskReport } from "@trivium/domain";
import { classifyTransfer, diagnoseMissingFile, diagnoseTransfer, formatDiagnosis } from "@trivium/engines";
import { ConfigMap } from "@trivium/kube";
import type { Patch } from "@trivium/reconcile";
import { modelPaths } from "../../field-paths.ts";
import type { ModelReason } from "../../reasons.ts";
import type { ModelPlace } from "../../storage/place.ts";
import type { Candidates, ObservedNode } from "../observe.ts";
import type { NodeEntry } from "./node-entry.ts";

type NodePlace = Extract<ModelPlace, { is: "node" }>;

/** What the nodes of the cluster report together: each is a download of its own. */
export function reportsOf(nodes: readonly ObservedNode[], place: NodePlace): TaskReport<ModelReason>[] {
  return presentNodes(nodes).flatMap((node): TaskReport<ModelReason>[] => {
    const by = `Node ${node.name}`;
    switch (node.entry.status) {
      case "Ready":
        return [{ by, state: "done" }];
      // The node agent retries on its own; until it succeeds, this is why the model is not available.
      case "Failed":
        return [{ by, state: "failed", isFinal: true, fault: faultOf(node, place) }];
      case "Updating":
        return [{ by, state: "running" }];
      default:
        return [];
    }
  });
}

export const presentNodes = (nodes: readonly ObservedNode[]): ObservedNode[] =>
  nodes.filter(({ node }) => node.is === "known").sort((a, b) => (a.name < b.name ? -1 : 1));

/** The words are the agent's own; what to do follows from the kind of failure. */
export function faultOf({ name, entry }: ObservedNode, { path, uri }: NodePlace): PreparationFault<ModelReason> {
  const reason = "ModelDownloadFailed";
  if (uri.scheme === "local" && classifyTransfer(entry.exitCode, "") === "missing")
    return {
      reason,
      message: formatDiagnosis(diagnoseMissingFile({ path, where: `node ${name}`, field: sourceField })),
    };
  const cause = entry.message ?? "the node agent reports no cause";
  return { reason, message: `Node ${name}: ${cause}; ${remedyOf(entry)}; retrying automatically` };
}

const sourceField = modelPaths.source ?? "spec.storage.storageUri";

function remedyOf({ exitCode }: NodeEntry): string {
  const fault = classifyTransfer(exitCode, "");
  if (fault === "failed") return "check spec.storage and the log of the node agent";
  const context = { paths: modelPaths, countsAttempts: true } as const;
  return diagnoseTransfer(fault, { subject: "", cause: "" }, context).remedy;
}

/** Why no node reports anything: none should, or those that should have not. */
export function awaitedNodes(candidates: Candidates | undefined): PreparationFault<ModelReason> {
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

/** Reports of nodes that no longer exist. */
export const removals = (nodes: readonly ObservedNode[], namespace: string): Patch[] =>
  nodes
    .filter(({ node }) => node.is === "absent")
    .map(({ name, uid }) => ({ patch: "delete", kind: ConfigMap, ref: { namespace, name }, uid }));
