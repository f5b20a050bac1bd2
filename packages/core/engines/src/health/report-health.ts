import type { HealthReport, ObservedRole, ServingPod } from "@trivium/domain";
import type { Instant } from "@trivium/std";
import { findFailure } from "./find-failure.ts";

export interface HealthInput extends ObservedRole {
  /** How many replicas there should be. */
  readonly desired: number;
  /** The time of the decision; without it no start takes too long. */
  readonly now?: Instant | undefined;
}

/** Ready means: pods of the newest template, ready, and their servers list a model. */
export function reportHealth({ desired, template, pods, refused, wasServing, now }: HealthInput): HealthReport {
  const present = pods.filter(({ isLeaving }) => !isLeaving);
  // Whoever was just asked what it lists has said nothing yet, so there is nothing new to say of it.
  const answering = present.filter((pod) => pod.isReady && (wasServing || pod.listed?.is !== "pending"));
  const current = answering.filter((pod) => pod.template === template);
  const unlisted = current.filter((pod) => !listsModel(pod, wasServing));
  const failure = findFailure(waitingPods(present, { template, refused }), refused, now);
  const [first] = unlisted.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  return {
    desired,
    total: present.length,
    ready: current.length - unlisted.length,
    answering: answering.length,
    ...(first === undefined ? {} : { unlisted: { pod: first.name, why: whyUnlisted(first) } }),
    ...(failure === undefined ? {} : { failure }),
    ...standInOf(answering),
  };
}

/**
 * The pods that keep the spec as it is now from serving. Those of an older template are replaced as soon as newer ones are ready, so they count only
 * where nothing else is in the way.
 */
function waitingPods(
  present: readonly ServingPod[],
  { template, refused }: Pick<ObservedRole, "template" | "refused">,
): readonly ServingPod[] {
  const waiting = present.filter(({ isReady }) => !isReady);
  const current = waiting.filter((pod) => pod.template === template);
  // Pods that another controller creates have no mark.
  if (template === "") return waiting;
  return current.length > 0 || refused !== undefined ? current : waiting;
}

function standInOf(pods: readonly ServingPod[]): Pick<HealthReport, "standIn"> {
  const standIn = pods.find((pod) => pod.standIn !== undefined)?.standIn;
  return standIn === undefined ? {} : { standIn };
}

/** How many replicas serve, and how many of them what the spec requests now. */
export function describeReplicas({ ready, answering, desired }: HealthReport): string {
  if (answering < desired) return `${answering} of ${desired} replicas ready`;
  const old = answering - ready;
  return `${ready} of ${desired} replicas updated; ${old} still ${old === 1 ? "serves" : "serve"} the previous spec`;
}

/** What is added to the message of a service that serves, where another program than the requested one does it. */
export const standInRemark = (health: HealthReport | undefined): string =>
  health?.standIn === undefined
    ? ""
    : `; served by llama.cpp, because ${health.standIn} is not installed on this machine`;

function listsModel({ listed }: ServingPod, wasServing: boolean): boolean {
  if (listed === undefined) return true;
  if (listed.is === "known") return listed.value.length > 0;
  // An answer that is late takes nothing back.
  return wasServing && (listed.is === "pending" || listed.is === "unreachable");
}

function whyUnlisted({ listed }: ServingPod): string {
  switch (listed?.is) {
    case "known":
      return "its server lists no model at /v1/models";
    case "unreachable":
      return `/v1/models of its server does not respond: ${listed.why}`;
    case "absent":
      return "its server has no /v1/models";
    default:
      return "waiting for /v1/models of its server";
  }
}
