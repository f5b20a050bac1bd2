import type { DecidedCondition } from "@trivium/kube";
import { type Instant, parseTime } from "@trivium/std";
import type { InferenceService } from "../../kinds/inference-service.ts";
import { stampLastUpdated } from "../../last-updated.ts";
import type { ObservedAgent, ObservedService } from "../observe.ts";
import type { ServiceStatus } from "../raise.ts";
import { endpointOf, servingModeOf } from "../traffic/serving-mode.ts";

/** An agent that has been silent for longer is taken for dead. */
const patience = 180_000;

type AgentState = "ready" | "waiting" | "stale";

/** A Mac serves it: its agent says whether, by the endpoints it registers and by its heartbeat on them. */
export function raiseMetal(service: InferenceService, observed: ObservedService, now: Instant): ServiceStatus {
  const state = stateOf(observed.agent, now);
  const mode = servingModeOf(service);
  const isReady = state === "ready";
  const [reason, message] = messageOf(service)[state];
  const conditions: DecidedCondition[] = [
    isReady
      ? { type: "Available", status: "True", reason: "InferenceReady", message }
      : { type: "Available", status: "False", reason: "NoReadyReplicas", message },
    ...(isReady ? [] : [{ type: "Progressing", status: "True", reason: "Creating", message } as const]),
  ];
  const { generation = 0 } = service.metadata;
  const status: ServiceStatus = {
    phase: isReady ? "Ready" : "Creating",
    mode,
    modelReady: true,
    replicas: isReady ? 1 : 0,
    readyReplicas: isReady ? 1 : 0,
    desiredReplicas: service.spec.replicas ?? 1,
    endpoint: endpointOf(service, mode),
    ...(isReady ? {} : { schedulingStatus: reason, schedulingMessage: message }),
    conditions: conditions.map((one) => ({ ...one, observedGeneration: generation })) as NonNullable<
      ServiceStatus["conditions"]
    >,
  };
  return stampLastUpdated(service.status, status, now);
}

const messageOf = ({ metadata }: InferenceService): Readonly<Record<AgentState, readonly [string, string]>> => ({
  ready: ["InferenceReady", "Served by the Metal agent"],
  waiting: ["WaitingForMetalAgent", "Waiting for a Metal agent; start one on a Mac that this cluster can reach"],
  stale: [
    "AgentHeartbeatStale",
    `The Metal agent of InferenceService ${metadata.name} has not reported for 3m; restart it on its Mac, and check that the Mac can reach this cluster`,
  ],
});

function stateOf(slices: readonly ObservedAgent[], now: Instant): AgentState {
  const ready = slices.filter(({ isReady }) => isReady);
  if (ready.length === 0) return "waiting";
  return ready.some(({ heartbeat }) => isFresh(heartbeat, now)) ? "ready" : "stale";
}

/** Agents of old send none, and are believed. */
function isFresh(heartbeat: string | undefined, now: Instant): boolean {
  if (heartbeat === undefined) return true;
  const at = parseTime(heartbeat);
  return at !== undefined && now - at < patience;
}

/** When the last heartbeat stops counting, if none follows. */
export function staleIn(slices: readonly ObservedAgent[], now: Instant): number | undefined {
  const ends = slices
    .filter(({ isReady }) => isReady)
    .map(({ heartbeat }) => (parseTime(heartbeat ?? "") ?? Number.NaN) + patience - now)
    .filter((left) => left > 0);
  return ends.length === 0 ? undefined : Math.max(...ends);
}
