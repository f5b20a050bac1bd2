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
  /** Why the model is nowhere, where pods wait for it. */
  readonly waitsFor: string | undefined;
  readonly isReady: boolean;
  readonly now: Instant;
}

/** How far the model is in its engine. */
export function modelStatusOf(
  service: InferenceService,
  { plan, seen, failure, waitsFor, isReady, now }: ModelFacts,
): ModelStatus {
  const pods = seen.pods.engine.filter(({ isLeaving }) => !isLeaving);
  const isLoaded = pods.some((pod) => pod.isReady);
  const before = service.status?.modelStatus?.modelRevisionStates?.activeModelState;
  const activeModelState = isLoaded ? "Loaded" : before === "Loaded" && pods.length > 0 ? "Loaded" : "Pending";
  const size = groupSizeIn(plan);
  const modelCopies = { failedCopies: 0, totalCopies: Math.ceil(pods.length / size) };
  if (isReady) {
    const states = {
      activeModelState: isAsleep(plan.entry, pods.length) ? "Standby" : "Loaded",
      targetModelState: "Loaded",
    } as const;
    return { transitionStatus: "UpToDate", modelRevisionStates: states, modelCopies };
  }
  if (failure?.kind === "crash" || failure?.kind === "memory") {
    const failedCopies = Math.ceil(pods.filter((pod) => !pod.isReady).length / size);
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
    ...(waitsFor === undefined
      ? {}
      : {
          lastFailureInfo: datedFailure(
            service,
            { location: plan.model.name, reason: "BaseModelNotReady", message: waitsFor },
            now,
          ),
        }),
    modelCopies,
  };
}

/** A copy is one pod, or one group of them. */
function groupSizeIn({ components }: Intended): number {
  const engine = components.find(({ name }) => name === "engine");
  return engine?.mode === "MultiNode" ? engine.group.size : 1;
}

/** Of what Knative runs, only the pods tell whether it sleeps. */
const isAsleep = ({ mode, replicas }: Intended["entry"], pods: number): boolean =>
  replicas === 0 && (mode !== "Serverless" || pods === 0);

type FailureInfo = NonNullable<ModelStatus["lastFailureInfo"]>;

/** The time at which it was first seen, as long as it is the same; how far a model is that is waited for makes no difference. */
export function datedFailure(service: InferenceService, info: Omit<FailureInfo, "time">, now: Instant): FailureInfo {
  const before = service.status?.modelStatus?.lastFailureInfo;
  const isAlike = before?.reason === info.reason && before?.location === info.location;
  const isSame = isAlike && (info.reason === "BaseModelNotReady" || before?.message === info.message);
  return { ...info, time: isSame && before?.time !== undefined ? before.time : formatTime(now) };
}

export const withLastWords = ({ pod, message, lastWords }: Trouble): string =>
  `Pod ${pod}: ${message}${lastWords === undefined ? "" : `. Its last words: ${lastWords}`}`;
