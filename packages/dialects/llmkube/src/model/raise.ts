import { formatMemory, summarizeGguf } from "@trivium/engines";
import type { DecidedCondition } from "@trivium/kube";
import type { Note } from "@trivium/reconcile";
import type { Instant } from "@trivium/std";
import type { Model } from "../kinds/model.ts";
import { stampLastUpdated } from "../last-updated.ts";
import { compareSource, type DriftReport } from "./drift.ts";
import type { ModelPlace, ModelVerdict } from "./lower.ts";
import type { ModelSeen } from "./observe.ts";
import { type SpecWarning, warningsOf } from "./warnings.ts";

type Status = NonNullable<Model["status"]>;
type Spoken = Exclude<ModelVerdict, { is: "unknown" }>;

/** The whole status of a Model, and what is told about it. */
export function raiseModel(
  model: Model,
  verdict: ModelVerdict,
  { seen, now }: { seen: ModelSeen; now: Instant },
): { status: Status; notes: Note[] } {
  if (verdict.is === "unknown") return { status: stillPending(model, now), notes: [] };
  const gguf =
    seen.header?.is === "known" && seen.header.value.format === "gguf" ? summarizeGguf(seen.header.value) : undefined;
  const place: ModelPlace = verdict.is === "ready" ? verdict.place : {};
  const drift = compareSource(model, seen, place.cacheKey);
  const warnings = warningsOf(model, gguf?.quantization);
  const status: Status = {
    phase: verdict.is === "ready" ? "Ready" : verdict.is === "failed" ? "Failed" : verdict.phase,
    ...placeOf(place),
    ...(gguf === undefined || verdict.is !== "ready" ? {} : { gguf: { ...gguf } }),
    ...(drift === undefined ? {} : memoryOf(drift)),
    ...(seen.accelerator.is === "known" ? { acceleratorReady: seen.accelerator.value } : {}),
    conditions: conditionsOf(model, verdict, { drift, warnings }) as NonNullable<Status["conditions"]>,
  };
  return { status: stampLastUpdated(model.status ?? undefined, status, now), notes: notesOf(verdict, drift, warnings) };
}

/** Before the first answer there is nothing to say but that it is awaited; afterwards the last word stands. */
function stillPending(model: Model, now: Instant): Status {
  const { status } = model;
  if (status?.phase && isOfThisSource(model)) return status;
  const condition: DecidedCondition = {
    type: "Available",
    status: "False",
    reason: "NotReady",
    message: "The source is being looked at",
    ...(model.metadata.generation === undefined ? {} : { observedGeneration: model.metadata.generation }),
  };
  const conditions = [condition] as NonNullable<Status["conditions"]>;
  return stampLastUpdated(status ?? undefined, { phase: "Pending", conditions }, now);
}

/** Whether what was said before was said of the spec as it is now. */
const isOfThisSource = ({ metadata, status }: Model): boolean =>
  status?.conditions?.find(({ type }) => type === "Available")?.observedGeneration === metadata.generation;

function placeOf({ path, cacheKey, bytes, digest, stagedFiles }: ModelPlace): Partial<Status> {
  return {
    ...(path === undefined ? {} : { path }),
    ...(cacheKey === undefined ? {} : { cacheKey }),
    ...(bytes === undefined ? {} : { size: formatMemory(bytes) }),
    ...(digest === undefined ? {} : { sha256: digest }),
    ...(stagedFiles === undefined ? {} : { stagedFiles: [...stagedFiles] }),
  };
}

function memoryOf({ version, length, lastRevalidated }: DriftReport): Partial<Status> {
  return {
    ...(version === undefined ? {} : { sourceETag: version }),
    ...(length === undefined ? {} : { sourceContentLength: length }),
    ...(lastRevalidated === undefined ? {} : { lastRevalidated }),
  };
}

function conditionsOf(
  model: Model,
  verdict: Spoken,
  { drift, warnings }: { drift: DriftReport | undefined; warnings: readonly SpecWarning[] },
): DecidedCondition[] {
  const { reason, message } = verdict;
  const isReady = verdict.is === "ready";
  const conditions: DecidedCondition[] = [
    isReady
      ? { type: "Available", status: "True", reason, message }
      : { type: "Available", status: "False", reason: "NotReady", message },
  ];
  const said = (type: string): boolean => model.status?.conditions?.some((one) => one.type === type) === true;
  const settled = (type: string): DecidedCondition[] =>
    said(type) ? [{ type, status: "False", reason: "Superseded", message: "This has passed" }] : [];
  if (verdict.is === "waiting") conditions.push({ type: "Progressing", status: "True", reason, message });
  else conditions.push(...settled("Progressing"));
  if (verdict.is === "failed") conditions.push({ type: "Degraded", status: "True", reason, message });
  else conditions.push(...settled("Degraded"));
  if (drift !== undefined) conditions.push(driftCondition(drift));
  conditions.push(specCondition(warnings));
  const { generation } = model.metadata;
  return generation === undefined ? conditions : conditions.map((one) => ({ ...one, observedGeneration: generation }));
}

const driftCondition = ({ state }: DriftReport): DecidedCondition =>
  state === "drifted"
    ? {
        type: "SourceDrifted",
        status: "True",
        reason: "UpstreamChanged",
        message: "The source is not what was cached; set refreshPolicy: OnChange to follow it",
      }
    : { type: "SourceDrifted", status: "False", reason: "InSync", message: "The source is what was cached" };

function specCondition(warnings: readonly SpecWarning[]): DecidedCondition {
  const [first] = warnings;
  if (first === undefined) {
    return { type: "SpecAccepted", status: "True", reason: "AsWritten", message: "All of the spec is carried out" };
  }
  const message = warnings.map((warning) => warning.message).join("; ");
  return { type: "SpecAccepted", status: "False", reason: first.reason, message };
}

function notesOf(verdict: Spoken, drift: DriftReport | undefined, warnings: readonly SpecWarning[]): Note[] {
  const notes: Note[] = [];
  if (verdict.is === "ready") notes.push({ type: "Normal", reason: "ModelReady", message: verdict.message });
  else
    notes.push({
      type: verdict.is === "failed" ? "Warning" : "Normal",
      reason: verdict.reason,
      message: verdict.message,
    });
  if (drift?.state === "drifted" || drift?.isFollowed === true) {
    const message = drift.isFollowed
      ? "The source changed; services that use it fetch it anew"
      : "The source changed; what was cached is kept";
    notes.push({ type: "Warning", reason: "UpstreamChanged", message });
  }
  notes.push(...warnings.map((warning): Note => ({ type: "Warning", ...warning })));
  return notes;
}
