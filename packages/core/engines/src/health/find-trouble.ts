import type { ContainerEnd, ContainerSeen, PodSeen, Trouble, TroubleKind } from "@trivium/domain";
import { shortenScheduling, tellUnschedulable } from "./tell-unschedulable.ts";

const imageReasons = ["ErrImagePull", "ImagePullBackOff", "InvalidImageName", "ErrImageNeverPull", "ImageInspectError"];
const configurationReasons = ["CreateContainerConfigError", "CreateContainerError", "RunContainerError"];

/** Some causes explain others, so the first of these is the one that is named. */
const gravity: readonly TroubleKind[] = [
  "memory",
  "crash",
  "configuration",
  "image",
  "volume",
  "evicted",
  "unschedulable",
  "unhealthy",
];

/** The one cause to name, of all pods; nothing when they only need time. */
export function findTrouble(pods: readonly PodSeen[]): Trouble | undefined {
  const troubles = pods.filter(({ isLeaving }) => !isLeaving).flatMap(troublesOf);
  const rank = ({ kind }: Trouble): number => gravity.indexOf(kind);
  return troubles.sort((a, b) => rank(a) - rank(b) || (a.pod < b.pod ? -1 : 1))[0];
}

function troublesOf(pod: PodSeen): Trouble[] {
  if (pod.failure !== undefined) return [{ kind: "evicted", pod: pod.name, message: pod.failure }];
  if (pod.unschedulable !== undefined) {
    if (/volume|persistentvolumeclaim/i.test(pod.unschedulable))
      return [{ kind: "volume", pod: pod.name, message: shortenScheduling(pod.unschedulable) }];
    return [{ kind: "unschedulable", pod: pod.name, message: tellUnschedulable(pod.unschedulable) }];
  }
  return pod.containers.flatMap((container) => troubleOf(pod, container) ?? []);
}

function troubleOf(pod: PodSeen, container: ContainerSeen): Trouble | undefined {
  const { name, role, state, lastEnd, restarts } = container;
  const place = { pod: pod.name, container: name, role };
  if (state.is === "waiting") {
    if (imageReasons.includes(state.reason)) return { kind: "image", ...place, message: state.message || state.reason };
    if (configurationReasons.includes(state.reason))
      return { kind: "configuration", ...place, message: state.message || state.reason };
    if (lastEnd === undefined || !isFall(lastEnd)) return undefined;
    return ended(place, lastEnd, restarts);
  }
  if (state.is === "ended") return isFall(state) ? ended(place, state, restarts) : undefined;
  // It runs again after a fall: as long as it is not ready, the fall is what there is to know. Who prepares is never ready, but done.
  const isWell = container.isReady && role === "serves";
  if (!isWell && restarts > 0 && lastEnd !== undefined && isFall(lastEnd)) return ended(place, lastEnd, restarts);
  return undefined;
}

/** Whether it ended by a fault of its own: what ended unseen went down with its node. */
const isFall = ({ exitCode, reason }: ContainerEnd): boolean => exitCode !== 0 && reason !== "Unknown";

function ended(
  place: { pod: string; container: string; role: "prepares" | "serves" },
  end: ContainerEnd,
  restarts: number,
): Trouble {
  const { exitCode, reason, message: lastWords } = end;
  const times = restarts > 0 ? " again and again" : "";
  const said = lastWords === "" ? {} : { lastWords };
  if (reason === "OOMKilled")
    return {
      kind: "memory",
      ...place,
      exitCode,
      message: `Container ${place.container} took more memory than it may${times}`,
      ...said,
    };
  const message = `Container ${place.container} ended with exit code ${exitCode}${times}`;
  return { kind: "crash", ...place, exitCode, message, ...said };
}
