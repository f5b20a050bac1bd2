import type { DecidedCondition } from "@trivium/kube";
import { weightsNotReady } from "../adapters/index.ts";
import type { ObservedModel } from "../observed/model.ts";
import { say } from "./say.ts";

/** Whether the files are where pods can have them; if not, why, in the words of the model. */
export function modelCondition(model: ObservedModel): DecidedCondition {
  const { name, state, nodesReady, place, weights } = model;
  const lacking = weightsNotReady(weights);
  const isMerged = weights?.is === "merged";
  if (lacking !== undefined && (state === "Ready" || isMerged)) return say("ModelReady", "False", lacking);
  if (isMerged) {
    const message = `FineTunedWeight ${weights.weight.name} is served instead of model ${name}`;
    return say("ModelReady", "True", { reason: "ModelReady", message });
  }
  if (state !== "Ready") return say("ModelReady", "False", modelNotReady(model));
  const where =
    place.is === "claim"
      ? `on PersistentVolumeClaim ${place.claim}`
      : `on ${nodesReady.length === 1 ? "node" : "nodes"} ${nodesReady.join(", ")}`;
  return say("ModelReady", "True", { reason: "ModelReady", message: `Model ${name} is available ${where}` });
}

/** The cause of all that waits for a model. */
export function modelNotReady({ name, state, nodesFailed, place, why, isMisfit }: ObservedModel): {
  readonly reason: "ModelNotReady" | "ModelFailed" | "DoesNotFit";
  readonly message: string;
} {
  const cause = why === undefined ? "" : `: ${why}`;
  if (isMisfit) return { reason: "DoesNotFit", message: `Model ${name} is not downloaded${cause}` };
  if (state === "Failed") {
    // The cause names the first node.
    const where =
      nodesFailed.length === 0 || (nodesFailed.length === 1 && why !== undefined)
        ? ""
        : ` on nodes ${nodesFailed.join(", ")}`;
    return { reason: "ModelFailed", message: `Model ${name} failed${where}${cause}` };
  }
  const what = place.is === "claim" ? `Model ${name} is not ready yet` : `Model ${name} is not on any node yet`;
  return { reason: "ModelNotReady", message: what + (cause || "; pods wait until one has it") };
}
