import { emitJob } from "@trivium/emitters";
import { diagnose, formatDiagnosis } from "@trivium/engines";
import type { Kind } from "@trivium/kube";
import { type Decision, hasUnresolved, type Patch } from "@trivium/reconcile";
import type { Instant } from "@trivium/std";
import { modelPaths } from "../field-paths.ts";
import type { BaseModel } from "../kinds/base-model.ts";
import { skipAnnotations } from "../names.ts";
import type { OmeOptions } from "../options.ts";
import { type ModelPlace, placeOf } from "../storage/place.ts";
import { claimReadFor, fillSpec, weightBytesOf } from "./discovery/discovered.ts";
import type { ObservedModel, ObservedNode } from "./observe.ts";
import { type FileStatus, type FilesReported, fileStatus, warning } from "./status/file-status.ts";
import { type ClaimProblem, claimName, findClaimProblem } from "./weights/claim.ts";
import { parseReading, planReading, readingNameOf } from "./weights/claim-reading.ts";
import { decideDeletion } from "./weights/deletion.ts";
import type { DiscoveredConfig } from "./weights/node-entry.ts";
import { gatherNodes, nodeNotes, removals } from "./weights/nodes-say.ts";

export interface Context {
  readonly kind: Kind<BaseModel>;
  readonly options: OmeOptions;
  readonly observed: ObservedModel;
  readonly now: Instant;
}

export function decideModel(model: BaseModel, context: Context): Decision<FileStatus> {
  const { observed, options, now } = context;
  if (hasUnresolved(observed)) return { do: "hold", status: model.status ?? {} };
  if (model.metadata.deletionTimestamp !== undefined) return decideDeletion(model, observed.nodes, now);
  const place = placeOf(model, options);
  switch (place.is) {
    case "faulty":
      return failed(model, { reason: "InvalidStorage", message: `${place.why}; correct it` });
    case "claim":
      return decideClaim(model, place, context);
    case "node":
      return decideNodes(model, place, context);
  }
}

function failed(model: BaseModel, { reason, message }: ClaimProblem): Decision<FileStatus> {
  const status = fileStatus(model, { state: "Failed", reason, message });
  return { do: "hold", status, notes: [warning(reason, message)] };
}

/** A claim is no matter of nodes: whether its files can be had, and what they are, a Job finds out that mounts it. */
function decideClaim(
  model: BaseModel,
  place: Extract<ModelPlace, { is: "claim" }>,
  { kind, observed, options }: Context,
): Decision<FileStatus> {
  const { claim, reading } = observed;
  if (claim === undefined || reading === undefined) return { do: "hold", status: model.status ?? {} };
  const problem = findClaimProblem(place, claim);
  if (problem !== undefined) return failed(model, problem);
  const { storageUri } = model.spec.storage;
  const isRead = claimReadFor(model) === storageUri || isUnread(model);
  const config = reading.answer?.is === "known" ? parseReading(reading.answer.value) : undefined;
  const found =
    config !== undefined || isRead
      ? fillSpec(model, {
          config,
          weightBytes: config?.weightBytes ?? (isRead ? weightBytesOf(model) : undefined),
          ...(isUnread(model) ? {} : { claim: storageUri }),
        })
      : undefined;
  const isBound = claim.is === "known" && claim.value.phase === "Bound";
  const reported = claimSays(model, place, { observed, isBound, isKnown: isRead || config !== undefined, isRead });
  return {
    do: "converge",
    children: isRead
      ? []
      : [emitJob(planReading(model, place, { image: options.images.weights, resources: reading.resources }))],
    ...(found === undefined ? {} : { patches: [{ patch: "fields", kind: nameOf(kind), object: found }] }),
    status: fileStatus(model, reported),
    notes:
      reported.state === "Failed"
        ? [warning(reported.reason, reported.message)]
        : reported.state === "Ready"
          ? [{ type: "Normal", reason: reported.reason, message: reported.message }]
          : [],
  };
}

interface ClaimFacts {
  readonly observed: ObservedModel;
  readonly isBound: boolean;
  /** Whether it is known what is in it: read before, or just now. */
  readonly isKnown: boolean;
  readonly isRead: boolean;
}

function claimSays(
  model: BaseModel,
  place: Extract<ModelPlace, { is: "claim" }>,
  { observed, isBound, isKnown, isRead }: ClaimFacts,
): FilesReported {
  const name = claimName(place);
  const { job, lastLogLine = "the Job failed" } = observed.reading ?? {};
  if (!isRead && job?.is === "known" && job.value.hasFailed) {
    const message = `${name}: path ${place.subPath} cannot be read: ${lastLogLine}; retrying automatically, or delete Job ${readingNameOf(model)} to retry now`;
    return { state: "Failed", reason: "ClaimUnreadable", message };
  }
  if (isKnown && isBound) return { state: "Ready", reason: "ModelReady", message: `Available on ${name}` };
  if (!isBound) return { state: "In_Transit", reason: "ClaimNotBound", message: `${name} is not bound yet` };
  const refused = observed.reading?.refused;
  const why = refused === undefined ? "" : `; ${formatDiagnosis(diagnose(refused, { paths: modelPaths }))}`;
  return {
    state: "In_Transit",
    reason: "ReadingClaim",
    message: `Job ${readingNameOf(model)} is inspecting ${name}${why}`,
  };
}

/** Whether a person does not want the files to be looked into. */
const isUnread = ({ metadata }: BaseModel): boolean =>
  skipAnnotations.some((key) => metadata.annotations?.[key] === "true");

function decideNodes(
  model: BaseModel,
  { path, uri }: Extract<ModelPlace, { is: "node" }>,
  { kind, observed, options }: Context,
): Decision<FileStatus> {
  const { nodes } = observed;
  const reported = gatherNodes(model, observed);
  const config = nodes.find(
    ({ node, entry }) => node.is === "known" && entry.status === "Ready" && entry.config !== undefined,
  )?.entry.config;
  const weightBytes = weightBytesOnNodes(nodes, config);
  const filled = fillSpec(model, { config, weightBytes, ...(uri.scheme === "local" ? {} : { path }) });
  const patches: Patch[] = [
    ...(filled === undefined ? [] : [{ patch: "fields", kind: nameOf(kind), object: filled } as const]),
    ...removals(nodes, options.namespace),
  ];
  return {
    do: "converge",
    children: [],
    ...(patches.length === 0 ? {} : { patches }),
    status: fileStatus(model, reported),
    notes: nodeNotes(nodes, reported),
  };
}

/** What the files say where a node holds them; until then how much the node that fetches least has to fetch. */
function weightBytesOnNodes(nodes: readonly ObservedNode[], config: DiscoveredConfig | undefined): number | undefined {
  const present = nodes.filter(({ node }) => node.is === "known").map(({ entry }) => entry);
  if (present.some(({ status }) => status === "Ready")) return config?.weightBytes;
  const totals = present.flatMap(({ status, progress }) =>
    status === "Updating" && progress !== undefined && progress.totalBytes > 0 ? [progress.totalBytes] : [],
  );
  return totals.length === 0 ? undefined : Math.min(...totals);
}

/** The kind without its schema, so that a decision can be read. */
export const nameOf = ({ group, version, kind, plural, namespaced }: Kind): Kind => ({
  group,
  version,
  kind,
  plural,
  namespaced,
});
