import type { Failure } from "@trivium/domain";
import { diagnose, formatDiagnosis } from "@trivium/engines";
import { formatTime, type Instant } from "@trivium/std";
import { componentPaths } from "../../field-paths.ts";
import type { InferenceService } from "../../kinds/inference-service.ts";
import type { Intended } from "../lower.ts";
import type { ObservedService } from "../observed/service.ts";
import type { ComponentName } from "../roles/component.ts";

type ModelStatus = NonNullable<NonNullable<InferenceService["status"]>["modelStatus"]>;

/** What keeps a component from serving. */
export interface ComponentFailure {
  readonly failure: Failure;
  readonly component: ComponentName;
}

interface ModelFacts {
  readonly plan: Intended;
  readonly observed: ObservedService;
  readonly failure: ComponentFailure | undefined;
  /** Why the model is nowhere, where pods wait for it. */
  readonly waitsFor: string | undefined;
  readonly isReady: boolean;
  readonly now: Instant;
}

/** How far the model is in its engine. */
export function modelStatusOf(
  service: InferenceService,
  { plan, observed, failure, waitsFor, isReady, now }: ModelFacts,
): ModelStatus {
  const pods = observed.pods.engine.filter(({ isLeaving }) => !isLeaving);
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
  const info = failure === undefined ? undefined : failureInfo(failure, observed);
  if (info !== undefined && info.reason === "ModelLoadFailed") {
    const failedCopies = Math.ceil(pods.filter((pod) => !pod.isReady).length / size);
    return {
      transitionStatus: "BlockedByFailedLoad",
      modelRevisionStates: { activeModelState, targetModelState: "FailedToLoad" },
      lastFailureInfo: datedFailure(service, info, now),
      modelCopies: { ...modelCopies, failedCopies },
    };
  }
  const isLoading = pods.some(({ containers }) =>
    containers.some(({ role, state }) => role === "serves" && state.is === "running"),
  );
  return {
    transitionStatus: "InProgress",
    modelRevisionStates: { activeModelState, targetModelState: isLoading ? "Loading" : "Pending" },
    ...lastFailure(service, waitsFor === undefined ? info : modelMissing(plan, waitsFor), now),
    modelCopies,
  };
}

const modelMissing = ({ model }: Intended, message: string): Omit<FailureInfo, "time"> => ({
  location: model.name,
  reason: "BaseModelNotReady",
  message,
});

const lastFailure = (
  service: InferenceService,
  info: Omit<FailureInfo, "time"> | undefined,
  now: Instant,
): Pick<ModelStatus, "lastFailureInfo"> =>
  info === undefined ? {} : { lastFailureInfo: datedFailure(service, info, now) };

/** A server that falls did not load the model; containers that do not start, and routers, say nothing of the model. */
function failureInfo(
  { failure, component }: ComponentFailure,
  observed: ObservedService,
): Omit<FailureInfo, "time"> | undefined {
  const { kind, pod, exitCode } = failure;
  if (kind === "unschedulable") return undefined;
  const isLoading = component !== "router" && (kind === "crash" || kind === "memory");
  const revision = revisionOf(observed, component);
  return {
    location: pod || component,
    reason: isLoading ? "ModelLoadFailed" : "RuntimeUnhealthy",
    message: describeFailure(component, failure),
    ...(revision === undefined ? {} : { modelRevisionName: revision }),
    ...(exitCode === undefined ? {} : { exitCode }),
  };
}

/** Of what Knative runs its newest revision; else the number that `kubectl rollout history` has. */
function revisionOf({ revisions, deployments }: ObservedService, component: ComponentName): string | undefined {
  const revision = revisions?.[component];
  if (revision?.is === "known") return revision.value.latestCreated;
  const deployment = deployments[component];
  return deployment.is === "known" ? deployment.value.revision : undefined;
}

/** A copy is one pod, or one group of them. */
function groupSizeIn({ components }: Intended): number {
  const engine = components.find(({ name }) => name === "engine");
  return engine?.mode === "MultiNode" ? engine.group.size : 1;
}

/** Of what Knative runs, only the pods tell whether it sleeps. */
const isAsleep = ({ mode, replicas }: Intended["entry"], pods: number): boolean =>
  replicas.current === 0 && (mode !== "Serverless" || pods === 0);

type FailureInfo = NonNullable<ModelStatus["lastFailureInfo"]>;

/** The time at which it was first seen, as long as it is the same; how far a model is that is waited for makes no difference. */
export function datedFailure(service: InferenceService, info: Omit<FailureInfo, "time">, now: Instant): FailureInfo {
  const before = service.status?.modelStatus?.lastFailureInfo;
  const isAlike = before?.reason === info.reason && before?.location === info.location;
  const isSame = isAlike && (info.reason === "BaseModelNotReady" || before?.message === info.message);
  return { ...info, time: isSame && before?.time !== undefined ? before.time : formatTime(now) };
}

/** The cause and what to do about it, with the fields of the component that is at fault. */
export const describeFailure = (component: ComponentName, failure: Failure): string =>
  formatDiagnosis(diagnose(failure, { paths: componentPaths(component) }));
