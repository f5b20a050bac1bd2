import type { InspectionReport, PreparationIntent, TransferIntent, VolumeReport } from "@trivium/domain";
import { diagnose, formatDiagnosis, type ObservedVolume } from "@trivium/engines";
import type { Fact } from "@trivium/std";
import { modelPaths } from "../field-paths.ts";
import type { BaseModel } from "../kinds/base-model.ts";
import { skipAnnotations } from "../names.ts";
import type { ModelReason } from "../reasons.ts";
import type { ModelPlace } from "../storage/place.ts";
import { claimReadFor } from "./discovery/discovered.ts";
import type { Candidates, ObservedModel, ObservedNode } from "./observe.ts";
import { parseReading, readingNameOf } from "./weights/claim-reading.ts";
import type { DiscoveredConfig } from "./weights/node-entry.ts";
import { awaitedNodes, reportsOf } from "./weights/node-reports.ts";

export interface ObservedFiles {
  readonly nodes: readonly ObservedNode[];
  readonly candidates?: Candidates | undefined;
  readonly claim?: Fact<ObservedVolume> | undefined;
}

/** Where the files of a model, or of weights tuned from one, are: what the steps of the middle need to know. */
export function lowerFiles(place: ModelPlace, observed: ObservedFiles): PreparationIntent<ModelReason> {
  switch (place.is) {
    case "faulty":
      return {
        fault: { reason: "InvalidStorage", message: `${place.why}; correct it` },
        transfers: noTransfers,
        paths: modelPaths,
      };
    case "claim":
      return { volume: volumeOf(place, observed.claim), transfers: noTransfers, paths: modelPaths };
    case "node":
      return {
        transfers: {
          reports: reportsOf(observed.nodes, place),
          need: "any",
          otherwise: { is: "awaited", fault: awaitedNodes(observed.candidates) },
        },
        paths: modelPaths,
      };
  }
}

/** Files in a claim are where pods read them. */
const noTransfers: TransferIntent<ModelReason> = { reports: [], need: "any", otherwise: { is: "deferred" } };

type ClaimPlace = Extract<ModelPlace, { is: "claim" }>;

const reasons = { missing: "ClaimNotFound", lost: "ClaimNotBound", unbound: "ClaimNotBound" } as const;

function volumeOf({ namespace, claim: name }: ClaimPlace, claim: ObservedFiles["claim"]): VolumeReport<ModelReason> {
  const volume = claim?.is === "known" ? claim.value : undefined;
  return {
    claim: `${namespace}/${name}`,
    owner: "user",
    phase: (volume?.phase ?? "missing") as VolumeReport["phase"],
    waitsForPod: volume?.waitsForPod,
    missingClass: volume?.missingClass,
    reasons,
  };
}

export const claimName = ({ claim, namespace }: ClaimPlace): string => `PersistentVolumeClaim ${namespace}/${claim}`;

/** A model: what a claim has in it is found out by a Job that mounts it, since no node agent can. */
export function lowerModel(
  model: BaseModel,
  place: ModelPlace,
  observed: ObservedModel,
): PreparationIntent<ModelReason> {
  const files = lowerFiles(place, observed);
  return place.is === "claim" ? { ...files, inspection: inspectionOf(model, place, observed) } : files;
}

function inspectionOf(model: BaseModel, place: ClaimPlace, observed: ObservedModel): InspectionReport<ModelReason> {
  const by = `Job ${readingNameOf(model)}`;
  const [of, name] = ["volume", claimName(place)] as const;
  if (isInspected(model)) return { by, of, state: "done" };
  const { job, lastLogLine = "the Job failed", refused } = observed.reading ?? {};
  if (job?.is === "known" && job.value.hasFailed) {
    const message = `${name}: path ${place.subPath} cannot be read: ${lastLogLine}; retrying automatically, or delete ${by} to retry now`;
    return { by, of, state: "failed", isFinal: true, fault: { reason: "ClaimUnreadable", message } };
  }
  if (readConfig(observed) !== undefined) return { by, of, state: "done" };
  const why = refused === undefined ? "" : `; ${formatDiagnosis(diagnose(refused, { paths: modelPaths }))}`;
  const fault = { reason: "ReadingClaim", message: `${by} is inspecting ${name}${why}` } as const;
  return { by, of, state: "running", fault };
}

/** What the claim has in it is known from before, or a person does not want it to be inspected. */
export const isInspected = (model: BaseModel): boolean =>
  claimReadFor(model) === model.spec.storage.storageUri || isSkipped(model);

export const isSkipped = ({ metadata }: BaseModel): boolean =>
  skipAnnotations.some((key) => metadata.annotations?.[key] === "true");

/** What the Job printed. */
export function readConfig({ reading }: ObservedModel): DiscoveredConfig | undefined {
  return reading?.answer?.is === "known" ? parseReading(reading.answer.value) : undefined;
}
