import type { Prepared } from "@trivium/domain";
import type { ModelReason } from "../reasons.ts";
import type { ModelPlace, Stored } from "../storage/place.ts";
import { claimName, type ObservedFiles } from "./lower.ts";
import type { ObservedNode } from "./observe.ts";
import type { FilesReported } from "./status/file-status.ts";
import { describeDownloads, isListing, planDownloads } from "./weights/downloads.ts";
import { presentNodes } from "./weights/node-reports.ts";

export type Decided = Exclude<Prepared<ModelReason>, { is: "unresolved" }>;

interface FilesInput {
  readonly prepared: Decided;
  readonly place: ModelPlace;
  readonly observed: Pick<ObservedFiles, "nodes" | "claim">;
}

/** What is reported of the files of a model, or of weights. */
export function raiseFiles(object: Stored, { prepared, place, observed }: FilesInput): FilesReported {
  const present = place.is === "node" ? presentNodes(observed.nodes) : [];
  const those = (state: ObservedNode["entry"]["status"]): string[] =>
    present.filter(({ entry }) => entry.status === state).map(({ name }) => name);
  const lists = { nodesReady: those("Ready"), nodesFailed: those("Failed") };
  switch (prepared.is) {
    case "ready":
      return {
        ...lists,
        state: "Ready",
        reason: "ModelReady",
        message: availableAt(place, observed, lists.nodesReady),
      };
    case "blocked":
      return { ...lists, state: "Failed", ...prepared.fault };
    case "preparing":
      return { ...lists, state: "In_Transit", ...raisePreparing(object, { prepared, place, present }) };
  }
}

function availableAt(place: ModelPlace, { claim }: FilesInput["observed"], nodes: readonly string[]): string {
  if (place.is === "claim") {
    const isBound = claim?.is === "known" && claim.value.phase === "Bound";
    return isBound
      ? `Available on ${claimName(place)}`
      : `${claimName(place)} will be bound when the first pod uses it`;
  }
  return `Available on ${nodes.length === 1 ? "node" : "nodes"} ${nodes.join(", ")}`;
}

interface Preparing {
  readonly prepared: Extract<Decided, { is: "preparing" }>;
  readonly place: ModelPlace;
  readonly present: readonly ObservedNode[];
}

function raisePreparing(
  { spec, status }: Stored,
  { prepared, place, present }: Preparing,
): Pick<FilesReported, "reason" | "message" | "downloads"> {
  const { fault, step } = prepared;
  if (fault !== undefined) return fault;
  if (step === "volume" && place.is === "claim")
    return { reason: "ClaimNotBound", message: `${claimName(place)} is not bound yet` };
  const updating = present.filter(({ entry }) => entry.status === "Updating");
  if (updating.length > 0 && updating.every(isListing))
    return { reason: "Downloading", message: `Resolving the size of ${spec.storage.storageUri}` };
  const all = updating.map(({ name, entry }) => ({ name, progress: entry.progress, queued: entry.queued }));
  const downloads = planDownloads(all, status?.downloads);
  return { reason: "Downloading", message: describeDownloads(downloads, all.length), downloads };
}
