import type { Trouble } from "@trivium/domain";
import { formatTime, type Instant } from "@trivium/std";
import type { InferenceService } from "../kinds/inference-service.ts";
import type { Intended } from "./lower.ts";
import type { ServiceSeen } from "./observe.ts";

type ModelStatus = NonNullable<NonNullable<InferenceService["status"]>["modelStatus"]>;

interface ModelFacts {
  readonly plan: Intended;
  readonly seen: ServiceSeen;
  readonly failure: Trouble | undefined;
  readonly isReady: boolean;
  readonly now: Instant;
}

/** How far the model is in its engine. */
export function modelStatusOf(
  service: InferenceService,
  { plan, seen, failure, isReady, now }: ModelFacts,
): ModelStatus {
  const pods = seen.pods.engine.filter(({ isLeaving }) => !isLeaving);
  const isLoaded = pods.some((pod) => pod.isReady);
  const before = service.status?.modelStatus?.modelRevisionStates?.activeModelState;
  const activeModelState = isLoaded ? "Loaded" : before === "Loaded" && pods.length > 0 ? "Loaded" : "Pending";
  const modelCopies = { failedCopies: 0, totalCopies: pods.length };
  if (isReady) {
    const states = {
      activeModelState: plan.entry.workload.replicas === 0 ? "Standby" : "Loaded",
      targetModelState: "Loaded",
    } as const;
    return { transitionStatus: "UpToDate", modelRevisionStates: states, modelCopies };
  }
  if (failure?.kind === "crash" || failure?.kind === "memory") {
    const failedCopies = pods.filter((pod) => !pod.isReady).length;
    return {
      transitionStatus: "BlockedByFailedLoad",
      modelRevisionStates: { activeModelState, targetModelState: "FailedToLoad" },
      lastFailureInfo: datedFailure(
        service,
        {
          location: failure.pod,
          reason: "ModelLoadFailed",
          message: withLastWords(failure),
          ...(failure.exitCode === undefined ? {} : { exitCode: failure.exitCode }),
        },
        now,
      ),
      modelCopies: { ...modelCopies, failedCopies },
    };
  }
  const isLoading = pods.some(({ containers }) =>
    containers.some(({ role, state }) => role === "serves" && state.is === "running"),
  );
  return {
    transitionStatus: "InProgress",
    modelRevisionStates: { activeModelState, targetModelState: isLoading ? "Loading" : "Pending" },
    modelCopies,
  };
}

type FailureInfo = NonNullable<ModelStatus["lastFailureInfo"]>;

/** The time at which it was first seen, as long as it is the same. */
export function datedFailure(service: InferenceService, info: Omit<FailureInfo, "time">, now: Instant): FailureInfo {
  const before = service.status?.modelStatus?.lastFailureInfo;
  const isSame =
    before?.reason === info.reason && before?.location === info.location && before?.message === info.message;
  return { ...info, time: isSame && before?.time !== undefined ? before.time : formatTime(now) };
}

export const withLastWords = ({ pod, message, lastWords }: Trouble): string =>
  `Pod ${pod}: ${message}${lastWords === undefined ? "" : `. Its last words: ${lastWords}`}`;
