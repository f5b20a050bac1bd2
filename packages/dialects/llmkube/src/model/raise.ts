import type { DecidedCondition } from "@trivium/kube";
import type { Note } from "@trivium/reconcile";
import type { Instant } from "@trivium/std";
import type { Model } from "../kinds/model.ts";
import { stampLastUpdated } from "../last-updated.ts";
import { eventsOf } from "./events.ts";
import type { ModelPlace } from "./lower.ts";
import type { ObservedModel } from "./observe.ts";
import type { ModelOutcome } from "./status/outcome.ts";
import { faultOf, needsPerson, type Reported, type Spoken } from "./status/reported.ts";
import { type SpecWarning, warningsOf } from "./status/warnings.ts";
import { compareSource, type DriftReport } from "./weights/drift.ts";
import { blindnessOf, describeFile, faultOfFile } from "./weights/file-facts.ts";

type Status = NonNullable<Model["status"]>;

/** The whole status of a Model, and what is told about it. */
export function raiseModel(
  model: Model,
  outcome: ModelOutcome,
  { observed, now }: { observed: ObservedModel; now: Instant },
): { status: Status; notes: Note[] } {
  if (outcome.is === "unknown") return { status: stillPending(model, now), notes: [] };
  const place = placeFor(model, outcome);
  const drift = compareSource(model, observed, place.cacheKey);
  const file =
    place.cacheKey === undefined && outcome.is !== "ready" ? {} : describeFile(model, observed, { place, drift });
  const reported: Reported = {
    outcome,
    drift,
    cache: observed.cache,
    warnings: warningsOf(model, { file, observed }),
    blindness: outcome.is === "ready" ? blindnessOf(observed, file) : undefined,
    unreadable: outcome.is === "ready" && !isServed(observed) ? faultOfFile(observed) : undefined,
  };
  const status: Status = {
    phase: outcome.is === "ready" ? "Ready" : outcome.is === "failed" ? "Failed" : outcome.phase,
    ...placeOf(place),
    ...(outcome.is === "waiting" && outcome.download !== undefined ? { download: outcome.download } : {}),
    ...file,
    ...(drift === undefined ? {} : memoryOf(drift)),
    ...(observed.accelerator.is === "known" ? { acceleratorReady: observed.accelerator.value } : {}),
    conditions: conditionsOf(model, reported) as NonNullable<Status["conditions"]>,
  };
  return { status: stampLastUpdated(model.status ?? undefined, status, now), notes: eventsOf(reported) };
}

/** Where weights will be is known before they are there; what was fetched once keeps its digest until the source is another. */
function placeFor(model: Model, outcome: Spoken): ModelPlace {
  const place = (outcome.is === "ready" ? outcome : outcome.resolved)?.place ?? {};
  const { status } = model;
  const isSame = place.cacheKey !== undefined && status?.cacheKey === place.cacheKey;
  return place.digest === undefined && isSame && status?.sha256 ? { ...place, digest: status.sha256 } : place;
}

/** Before the first answer there is nothing to say but that it is awaited; afterwards the last word stands. */
function stillPending(model: Model, now: Instant): Status {
  const { status } = model;
  if (status?.phase && isOfThisSource(model)) return status;
  const condition: DecidedCondition = {
    type: "Available",
    status: "False",
    reason: "NotReady",
    message: "Inspecting the source",
    ...(model.metadata.generation === undefined ? {} : { observedGeneration: model.metadata.generation }),
  };
  const conditions = [condition] as NonNullable<Status["conditions"]>;
  return stampLastUpdated(status ?? undefined, { phase: "Pending", conditions }, now);
}

/** Whether what was said before was said of the spec as it is now. */
const isOfThisSource = ({ metadata, status }: Model): boolean =>
  status?.conditions?.find(({ type }) => type === "Available")?.observedGeneration === metadata.generation;

function placeOf({ path, cacheKey, digest, stagedFiles }: ModelPlace): Partial<Status> {
  return {
    ...(path === undefined ? {} : { path }),
    ...(cacheKey === undefined ? {} : { cacheKey }),
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

function conditionsOf(model: Model, reported: Reported): DecidedCondition[] {
  const { outcome, drift, warnings } = reported;
  const wasSaid = (type: string): boolean => model.status?.conditions?.some((one) => one.type === type) === true;
  const settled = (type: string): DecidedCondition[] =>
    wasSaid(type) ? [{ type, status: "False", reason: "Superseded", message: "No failure" }] : [];
  const { reason, message } = outcome;
  const fault = faultOf(reported);
  const conditions: DecidedCondition[] = [
    availability(reported),
    ...(outcome.is === "waiting" && !needsPerson.includes(reason)
      ? [{ type: "Progressing", status: "True", reason, message } as const]
      : settled("Progressing")),
    ...(fault === undefined ? settled("Degraded") : [{ type: "Degraded", status: "True", ...fault } as const]),
    ...cacheCondition(reported.cache),
    ...(drift === undefined ? [] : [driftCondition(drift)]),
    ...(outcome.is === "ready" || warnings.length > 0 ? [specCondition(warnings)] : []),
  ];
  const { generation } = model.metadata;
  return generation === undefined ? conditions : conditions.map((one) => ({ ...one, observedGeneration: generation }));
}

function availability({ outcome, blindness }: Reported): DecidedCondition {
  const { reason, message } = outcome;
  if (outcome.is !== "ready") return { type: "Available", status: "False", reason, message };
  const observedSo =
    blindness === undefined ? message : `${message}; the operator could not inspect the source: ${blindness}`;
  return { type: "Available", status: "True", reason, message: observedSo };
}

/** An engine that serves has read it. */
const isServed = ({ fetches }: ObservedModel): boolean => fetches.some(({ isServing }) => isServing);

/** What the budget of the shared cache decided, where there is one. */
function cacheCondition(cache: ObservedModel["cache"]): DecidedCondition[] {
  const { state, message = "The weights are in the model cache of this namespace" } = cache ?? {};
  if (state === undefined || state === "Granted") return [];
  const reason = state === "Evicted" ? "WeightsEvicted" : state;
  return [{ type: "Cached", status: state === "Cached" ? "True" : "False", reason, message }];
}

const driftCondition = ({ state }: DriftReport): DecidedCondition =>
  state === "drifted"
    ? {
        type: "SourceDrifted",
        status: "True",
        reason: "UpstreamChanged",
        message: "The source differs from the cached file; set spec.refreshPolicy to OnChange to download it again",
      }
    : { type: "SourceDrifted", status: "False", reason: "InSync", message: "The source matches the cached file" };

function specCondition(warnings: readonly SpecWarning[]): DecidedCondition {
  const [first] = warnings;
  if (first === undefined) {
    return { type: "SpecAccepted", status: "True", reason: "AsWritten", message: "The spec is applied" };
  }
  const message = warnings.map((warning) => warning.message).join("; ");
  return { type: "SpecAccepted", status: "False", reason: first.reason, message };
}
