import { type DecidedCondition, isConditionTrue } from "@trivium/kube";
import type { InferenceService } from "../../kinds/inference-service.ts";
import { blockedEvents } from "../events.ts";
import type { Context } from "../lower.ts";
import { type ObservedService, runtimeOf } from "../observed/service.ts";
import type { Raised } from "../raise.ts";
import { type ComponentName, componentNames } from "../roles/component.ts";
import type { Blocked } from "../selection/blocked.ts";
import { type FitInput, fitConditions } from "./fit.ts";
import { modelCondition } from "./model-condition.ts";
import { datedFailure } from "./model-status.ts";
import { conditionOf, say } from "./say.ts";
import { finish, type ServiceStatus, shownChoice } from "./service-status.ts";

/** What can be said when nothing could be planned; what runs goes on running. */
export function raiseBlocked(service: InferenceService, blocked: Blocked, { observed, now }: Context): Raised {
  const { how, reason, note, message, model } = blocked;
  const isWaiting = how === "waits";
  const live = componentNames.flatMap((name) => liveCondition(name, observed) ?? []);
  const conditions = [
    servesWithoutModel(service, blocked, live) ?? blockedCondition(blocked),
    ...live,
    missingModel(blocked) ?? (model === undefined ? undefined : modelCondition(model)),
    resolvedCondition(blocked),
    ...fitConditions(service, fitOf(blocked)),
  ].filter((one): one is DecidedCondition => one !== undefined);
  const { url, address, components, modelStatus } = service.status ?? {};
  const active = modelStatus?.modelRevisionStates?.activeModelState ?? "Pending";
  const status: ServiceStatus = {
    ...finish(service, conditions),
    ...shownChoice(service, {
      runtime: blockedRuntime(service, blocked, observed),
      choice: blocked.selection?.choice,
    }),
    ...(url === undefined ? {} : { url }),
    ...(address === undefined ? {} : { address }),
    ...(components === undefined ? {} : { components }),
    modelStatus: {
      transitionStatus: isWaiting ? "InProgress" : note === "DoesNotFit" ? "BlockedByFailedLoad" : "InvalidSpec",
      modelRevisionStates: { activeModelState: active, targetModelState: isWaiting ? "Pending" : "FailedToLoad" },
      lastFailureInfo: datedFailure(service, { location: service.metadata.name ?? "", reason, message }, now),
    },
  };
  return { status, notes: blockedEvents(blocked) };
}

function fitOf({ note, reason, fit, model, message }: Blocked): FitInput {
  const isBlocked = note === "DoesNotFit";
  // A model that no node can load has no runtime yet to compute a sum for.
  const misfit = isBlocked && fit === undefined ? message : undefined;
  const isUnread = reason === "BaseModelNotReady" && model !== undefined;
  const unsized = isUnread
    ? `Unknown until the files of model ${model.name} show which runtime can serve it`
    : undefined;
  return { fit, misfit, unsized, isBlocked, isServing: false };
}

/** The one that was found, or runs on, or is asked for. */
function blockedRuntime(
  { spec }: InferenceService,
  { selection }: Blocked,
  observed: ObservedService,
): string | undefined {
  if (selection?.is === "selected") return selection.runtime.name;
  return runtimeOf(observed)?.name ?? spec.runtime?.name;
}

/** Pods that were ready for this very spec serve on when the model object is deleted; only new ones need it. */
function servesWithoutModel(
  { metadata, status }: InferenceService,
  { reason, message }: Blocked,
  live: readonly DecidedCondition[],
): DecidedCondition | undefined {
  const wasReady = isConditionTrue(status?.conditions, "Ready") && status?.observedGeneration === metadata.generation;
  const isUp = live.length > 0 && live.every((one) => one.status === "True");
  if (reason !== "BaseModelNotFound" || !wasReady || !isUp) return undefined;
  return say("Ready", "True", { reason: "ServesWithoutModel", message: `Pods still serve, but ${message}` });
}

/** The cause, as the column REASON shows it. What is retried automatically has failed all the same until it works. */
function blockedCondition({ how, reason, note, message, model }: Blocked): DecidedCondition {
  if (note === "DoesNotFit") return say("Ready", "False", { reason: note, message });
  const hasFailed = reason === "BaseModelNotReady" && model?.state === "Failed";
  if (hasFailed || reason === "FineTuneWeightLoadFailed")
    return say("Ready", "False", { reason: "ModelFailed", message });
  if (how === "fails") return say("Ready", "False", { reason: "InvalidSpec", message });
  if (reason === "BaseModelNotFound") return say("Ready", "False", { reason: "ModelNotFound", message });
  if (reason === "FineTunedWeightsNotFound")
    return say("Ready", "False", { reason: "FineTunedWeightNotFound", message });
  return say("Ready", "Unknown", { reason: "ModelNotReady", message });
}

/** How a component does that runs on although nothing can be planned for it. */
function liveCondition(name: ComponentName, { deployments, groups }: ObservedService): DecidedCondition | undefined {
  const [fact] = [deployments[name], groups?.[name]].filter((one) => one?.is === "known");
  const available = fact?.is === "known" ? fact.value.available : undefined;
  if (available === undefined) return undefined;
  const isUp = available.status === "True";
  const reason = isUp ? "MinimumReplicasAvailable" : "MinimumReplicasUnavailable";
  return say(conditionOf[name], isUp ? "True" : "False", { reason, message: available.message });
}

/** A runtime may be found although something else stands in the way. */
function resolvedCondition({ how, selection }: Blocked): DecidedCondition | undefined {
  if (selection === undefined) return undefined;
  const { message } = selection;
  if (selection.is === "selected") return say("RuntimeResolved", "True", { reason: "RuntimeSelected", message });
  return say("RuntimeResolved", how === "waits" ? "Unknown" : "False", { reason: "RuntimeUnresolved", message });
}

function missingModel({ reason, message, model }: Blocked): DecidedCondition | undefined {
  if (reason === "BaseModelNotFound") return say("ModelReady", "False", { reason: "ModelNotFound", message });
  if (reason === "FineTuneWeightLoadFailed") return say("ModelReady", "False", { reason: "ModelFailed", message });
  if (reason === "BaseModelDisabled" && model !== undefined)
    return say("ModelReady", "False", { reason: "ModelDisabled", message });
  return undefined;
}
