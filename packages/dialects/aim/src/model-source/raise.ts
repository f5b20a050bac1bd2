import type { DecidedCondition } from "@trivium/kube";
import type { Note } from "@trivium/reconcile";
import { formatTime, type Instant } from "@trivium/std";
import { condition, conditionsFor, generationOf } from "../conditions.ts";
import type { ModelSource } from "../objects.ts";
import { eventsOf, missingSecret, type SourceOutcome } from "./events.ts";
import type { LoweredSource } from "./lower.ts";
import type { FilterReport } from "./selection/find-images.ts";

type Status = NonNullable<ModelSource["status"]>;

/** The whole status of a source, and what is told about it. */
export function raiseSource(
  source: ModelSource,
  lowered: LoweredSource,
  now: Instant,
): { status: Status; notes: Note[] } {
  const { reports, discovered, leftOut } = lowered;
  const isWaiting = reports.some(({ isPending }) => isPending);
  const outcome = isWaiting ? syncing : judge(lowered);
  const isLimited = leftOut > 0;
  const lastSyncTime = isWaiting ? source.status?.lastSyncTime : lastSync(source, reports, now);
  // While something is being asked for the first time, the numbers of before stay.
  const numbers = isWaiting
    ? numbersBefore(source)
    : { discoveredModels: discovered, availableModels: countAvailable(source, lowered), modelsLimitReached: isLimited };
  const conditions = [
    condition("Ready", outcome.state === "Ready" ? "True" : "False", outcome),
    condition("Degraded", outcome.isBad ? "True" : "False", outcome),
    syncCondition(isWaiting),
    reachability(reports),
    limitCondition(source, lowered, isLimited && !isWaiting),
  ];
  const status: Status = {
    ...generationOf(source),
    status: outcome.state,
    ...(lastSyncTime === undefined ? {} : { lastSyncTime }),
    ...numbers,
    ...missingImages(source, lowered, isWaiting),
    conditions: conditionsFor(source, conditions),
  };
  return { status, notes: eventsOf(lowered, outcome, conditions) };
}

/** When the registry was last heard of. Filters that need no registry are done when their spec is read. */
function lastSync(
  { metadata, status }: ModelSource,
  reports: readonly FilterReport[],
  now: Instant,
): string | undefined {
  const at = Math.max(0, ...reports.map((report) => report.at ?? 0));
  if (at > 0) return formatTime(at);
  const isDone = status?.lastSyncTime !== undefined && status.observedGeneration === metadata.generation;
  return isDone || !reports.some(({ isAnswered }) => isAnswered) ? status?.lastSyncTime : formatTime(now);
}

/** A registry that is silent has not lost its images. */
function countAvailable({ status }: ModelSource, { reports, available }: LoweredSource): number {
  const isUnresolved = reports.some((report) => report.isUnresolved);
  return isUnresolved ? Math.max(available, status?.availableModels ?? 0) : available;
}

const maxListed = 100;

/** Only a list that came whole can miss something. */
function missingImages(
  { status }: ModelSource,
  { reports, vanished }: LoweredSource,
  isWaiting: boolean,
): Pick<Status, "missingImages"> {
  const isWhole = !isWaiting && reports.every(({ faults, isUnresolved }) => faults.length === 0 && !isUnresolved);
  const images = isWhole ? vanished.slice(0, maxListed) : (status?.missingImages ?? []);
  return images.length === 0 ? {} : { missingImages: [...images] };
}

const syncing: SourceOutcome = {
  state: "Progressing",
  reason: "Syncing",
  message: "Listing images in the registry",
  isBad: false,
};

function judge({ reports, available, missingSecrets }: LoweredSource): SourceOutcome {
  const faults = reports.flatMap((report) => report.faults);
  const failed = reports.filter((report) => report.faults.length > 0 && !report.isAnswered).length;
  // Where a login is missing, that is why; what registries say without one comes after it.
  const reported = [...missingSecrets.map(missingSecret), summarize(faults)].join("; ");
  if (failed === reports.length) {
    return {
      state: "Failed",
      reason: "AllFiltersFailed",
      message: `All filters failed: ${reported}`,
      isBad: true,
    };
  }
  if (faults.length > 0) {
    const message = `Some filters failed: ${reported}`;
    return { state: "Degraded", reason: "SomeFiltersHadErrors", message, isBad: true };
  }
  if (available === 0) {
    const message = "No image matches the filters; check spec.filters and spec.versions";
    return { state: "Pending", reason: "NoImagesDiscovered", message, isBad: false };
  }
  const message = available === 1 ? "Found 1 matching image" : `Found ${available} matching images`;
  return { state: "Ready", reason: "AllFiltersSucceeded", message, isBad: false };
}

const maxFaults = 3;

function summarize(faults: readonly string[]): string {
  const rest = faults.length - maxFaults;
  return `${faults.slice(0, maxFaults).join("; ")}${rest > 0 ? `; and ${rest} more` : ""}`;
}

const numbersBefore = ({ status }: ModelSource): Partial<Status> => {
  const { discoveredModels, availableModels, modelsLimitReached } = status ?? {};
  return {
    ...(discoveredModels === undefined ? {} : { discoveredModels }),
    ...(availableModels === undefined ? {} : { availableModels }),
    ...(modelsLimitReached === undefined ? {} : { modelsLimitReached }),
  };
};

const syncCondition = (isWaiting: boolean): DecidedCondition =>
  isWaiting
    ? condition("Syncing", "True", { reason: "Listing", message: "Listing images in the registry" })
    : condition("Syncing", "False", { reason: "Synced", message: "No search of the registry is in progress" });

function reachability(reports: readonly FilterReport[]): DecidedCondition {
  const type = "RegistryReachable";
  const unresolved = reports.find(({ isUnresolved }) => isUnresolved);
  if (unresolved !== undefined)
    return condition(type, "False", { reason: "Unreachable", message: summarize(unresolved.faults) });
  const isAsked = reports.some(({ at }) => at !== undefined);
  if (isAsked) return condition(type, "True", { reason: "Reachable", message: "The registry responds" });
  return condition(type, "Unknown", {
    reason: "NotAsked",
    message: "No filter has received an image list from the registry",
  });
}

function limitCondition({ spec }: ModelSource, { available }: LoweredSource, isLimited: boolean): DecidedCondition {
  const type = "MaxModelsLimitReached";
  if (!isLimited)
    return condition(type, "False", { reason: "LimitNotReached", message: "All matching images have a model" });
  const message = `${available} images match, but spec.maxModels is ${spec.maxModels ?? 100}; raise it, or narrow the filters`;
  return condition(type, "True", { reason: "LimitReached", message });
}
