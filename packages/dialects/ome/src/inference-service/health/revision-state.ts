import type { Failure } from "@trivium/domain";
import type { InferenceService } from "../../kinds/inference-service.ts";
import type { ObservedService } from "../observed/service.ts";
import type { ObservedCondition, ObservedRevision } from "../observed/workload.ts";
import type { ServerlessComponent } from "../roles/serverless-component.ts";
import { describeFailure } from "../status/model-status.ts";
import { conditionOf, say } from "../status/say.ts";
import { rolloutOf } from "../traffic/knative-traffic.ts";
import type { ComponentState, ComponentStatus } from "./state.ts";

const routeOf = { engine: "EngineRouteReady", decoder: "DecoderRouteReady", router: "RouterRouteReady" } as const;
const configurationOf = {
  engine: "EngineConfigurationReady",
  decoder: "DecoderConfigurationReady",
  router: "RouterConfigurationReady",
} as const;

interface Context {
  readonly observed: ObservedService;
  readonly service: InferenceService;
  readonly failure: Failure | undefined;
}

/** How a component does that Knative runs, in Knative's words. */
export function revisionState({ name }: ServerlessComponent, { observed, service, failure }: Context): ComponentState {
  const fact = observed.revisions?.[name];
  const live = fact?.is === "known" ? fact.value : undefined;
  const before = service.status?.components?.[name] ?? {};
  const isReady = live?.isCurrent === true && live.ready?.status === "True";
  const failed = live?.ready?.status === "False";
  const condition = isReady
    ? say(conditionOf[name], "True", { reason: "RevisionReady", message: `Revision ${live.latestReady} is ready` })
    : say(conditionOf[name], failed ? "False" : "Unknown", whyNot(name, live, failure));
  const route = partOf(live, "routes");
  const configuration = partOf(live, "configurations");
  return {
    component: name,
    isReady,
    condition,
    failure,
    details: [
      say(routeOf[name], ...route),
      say(configurationOf[name], ...configuration),
      ...(name === "engine" ? [say("RoutesReady", ...route), say("LatestDeploymentReady", ...configuration)] : []),
    ],
    shown: live === undefined ? before : { ...shownOf(live), ...rolloutOf(before, live) },
  };
}

type Reported = Parameters<typeof say> extends [unknown, ...infer Rest] ? Rest : never;

function partOf(live: ObservedRevision | undefined, part: "routes" | "configurations"): Reported {
  const found = live?.[part];
  if (live?.isCurrent !== true || found === undefined || found.status === "Unknown")
    return [
      "Unknown",
      { reason: "Initializing", message: found?.message || "Knative has not reported its status yet" },
    ];
  return found.status === "True"
    ? ["True", { reason: "Ready", message: "Knative reports that it is ready" }]
    : ["False", { reason: "NotReady", message: wordsOf(found) }];
}

function whyNot(
  name: ServerlessComponent["name"],
  live: ObservedRevision | undefined,
  failure: Failure | undefined,
): { reason: string; message: string } {
  if (failure !== undefined) {
    const message = describeFailure(name, failure);
    return { reason: failure.isPassing ? "Initializing" : "ComponentFailed", message };
  }
  if (live?.ready?.status === "False") return { reason: "RevisionNotReady", message: wordsOf(live.ready) };
  return { reason: "Initializing", message: live?.ready?.message || "Knative has not reported whether it is ready" };
}

const wordsOf = ({ reason, message }: ObservedCondition): string =>
  [reason, message].filter((word) => word !== "").join(": ") || "Knative reports that it is not ready";

function shownOf({ latestReady, latestCreated, traffic, url, address }: ObservedRevision): ComponentStatus {
  return {
    ...(latestReady === undefined ? {} : { latestReadyRevision: latestReady }),
    ...(latestCreated === undefined ? {} : { latestCreatedRevision: latestCreated }),
    ...(traffic.length === 0 ? {} : { traffic: traffic.map((one) => ({ ...one })) }),
    ...(url === undefined ? {} : { url, restURL: url }),
    ...(address === undefined ? {} : { address: { url: address } }),
  };
}
