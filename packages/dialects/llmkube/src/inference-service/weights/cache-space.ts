import { needsReplicas } from "../../cache-budget/observed/cache-uses.ts";
import type { InferenceService } from "../../kinds/inference-service.ts";
import type { Model } from "../../kinds/model.ts";
import type { ObservedService } from "../observe.ts";
import { type Blocked, failed } from "../selection/lowered.ts";
import type { StoragePlan } from "./storage.ts";

interface CacheSpaceInput {
  readonly models: readonly Model[];
  readonly observed: ObservedService;
  readonly storage: StoragePlan;
}

/** Where a budget limits the shared cache, pods wait until it has space for their weights. What runs has its space. */
export function cacheSpaceFault(service: InferenceService, input: CacheSpaceInput): Blocked | undefined {
  const { models, observed, storage } = input;
  const isLimited = observed.hasCacheBudget === true && storage.cache?.is === "ours";
  const isRunning = observed.pods.some(({ isLeaving }) => !isLeaving);
  if (!isLimited || isRunning || !needsReplicas(service)) return undefined;
  const waiting = models.find(({ status }) => !hasSpace.includes(status?.cache?.state ?? ""));
  if (waiting === undefined) return undefined;
  const { state, message = "" } = waiting.status?.cache ?? {};
  if (state === "Refused") return { ...failed("CacheBudgetExceeded", message), lacksSpace: true };
  const waits = state === "Waiting" || state === "Evicting" ? `: ${message}` : "";
  return {
    is: "blocked",
    phase: "Pending",
    reason: "Pending",
    message: `Waiting for space for Model ${waiting.metadata.name} in the model cache${waits}`,
    isModelReady: true,
    lacksSpace: true,
  };
}

const hasSpace: readonly string[] = ["Granted", "Cached"];
