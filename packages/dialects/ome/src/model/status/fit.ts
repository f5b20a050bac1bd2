import { type ClusterMemory, findModelMisfit, formatDiagnosis, formatMemory, weightBytesOf } from "@trivium/engines";
import type { DecidedCondition } from "@trivium/kube";
import type { BaseModel } from "../../kinds/base-model.ts";
import { fitCheckAnnotation } from "../../names.ts";
import type { ModelPlace } from "../../storage/place.ts";
import type { ObservedModel } from "../observe.ts";
import type { Decided } from "../raise.ts";
import { findFit, isHeld, isListed, sizeModel } from "../weights/model-size.ts";
import type { FilesReported } from "./file-status.ts";

const type = "Fits";
const unknown = (reason: string, message: string): DecidedCondition[] => [{ type, status: "Unknown", reason, message }];

/**
 * Whether any node could load the model, decided before it is downloaded: agents wait for this condition, and download nothing where it is
 * False. What was found stands while the spec is the same.
 */
export function fitConditions(model: BaseModel, observed: ObservedModel): DecidedCondition[] {
  if (model.metadata.annotations?.[fitCheckAnnotation] === "off")
    return unknown("NotChecked", `Not compared with the nodes, as annotation ${fitCheckAnnotation} is off`);
  const { facts, basis, isLowerBound } = sizeModel(model, observed.nodes);
  const weightBytes = weightBytesOf(facts);
  if (weightBytes === undefined) return unsized(model, observed);
  const { memory } = observed;
  if (memory === undefined) return fitBefore(model);
  if (memory === "unknown")
    return unknown(
      "MemoryUnknown",
      "A node does not report its memory, or that of its GPUs; check its labels and allocatable resources",
    );
  const subject = `${model.kind} ${model.metadata.name}${basis}`;
  const override = isHeld(model, observed.nodes) ? undefined : `annotation ${fitCheckAnnotation}: "off"`;
  const misfit = findModelMisfit({ subject, weightBytes, isLowerBound, memory, override });
  if (misfit !== undefined) return [{ type, status: "False", reason: "DoesNotFit", message: formatDiagnosis(misfit) }];
  // What fits at its smallest can still be too large.
  if (isLowerBound) return unsized(model, observed);
  return [{ type, status: "True", reason: "Fits", message: offeredTo(weightBytes, memory) }];
}

function offeredTo(weightBytes: number, { nodeBytes, gpuBytes }: ClusterMemory): string {
  const offered =
    nodeBytes >= weightBytes
      ? `the largest node has ${formatMemory(nodeBytes)} of memory`
      : `all GPUs together have ${formatMemory(gpuBytes)}`;
  return `The weights need ${formatMemory(weightBytes)}; ${offered}`;
}

function unsized(model: BaseModel, { nodes }: ObservedModel): DecidedCondition[] {
  const before = fitBefore(model);
  if (before.length > 0 || !isListed(model, nodes)) return before;
  const { storageUri } = model.spec.storage;
  const message = `The size of the weights is unknown: ${storageUri} has no file that shows it; set spec.modelParameterSize and spec.quantization`;
  return unknown("SizeUnknown", message);
}

function fitBefore(model: BaseModel): DecidedCondition[] {
  const before = findFit(model);
  if (before === undefined) return [];
  const { status, reason = "", message = "" } = before;
  return [{ type, status: status as DecidedCondition["status"], reason, message }];
}

interface FitsInput {
  readonly prepared: Decided;
  readonly place: ModelPlace;
  readonly fits: readonly DecidedCondition[];
}

/** Why nothing is downloaded, where that is the reason that no node has the files. */
export function withMisfit(reported: FilesReported, { prepared, place, fits }: FitsInput): FilesReported {
  const isDownloaded = place.is === "node" && place.uri.scheme !== "local" && place.uri.scheme !== "vendor";
  const misfit = fits.find(({ status }) => status === "False");
  if (!isDownloaded || prepared.is === "ready" || misfit === undefined) return reported;
  const { downloads: _, ...rest } = reported;
  return { ...rest, state: "Failed", reason: "DoesNotFit", message: misfit.message };
}
