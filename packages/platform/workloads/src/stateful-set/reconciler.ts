import { ControllerRevision, PersistentVolumeClaim, Pod, StatefulSet } from "@trivium/kube";
import type { Decision, Desired, Note, Patch, Reader, Reconciler } from "@trivium/reconcile";
import type { Fact, Instant } from "@trivium/std";
import { type Belongings, byName, claim, isControlled, letGo, observeBelongings } from "../pods/claim.ts";
import { isTerminating, untilNextAvailable } from "../pods/pod-state.ts";
import {
  type History,
  type ObservedRevisions,
  observeRevisions,
  planHistory,
  templateOf,
} from "../pods/revision-history.ts";
import { claimStateOf, missingClaims, type ObservedClaims, ownerPatches } from "./claim-plan.ts";
import { claimsOf } from "./claims.ts";
import { identityLabels, ordinalOf, podNameLabel, revisionOf, startOf, wantedOf } from "./identity.ts";
import { newPod } from "./new-pod.ts";
import { planPods } from "./plan.ts";
import { type StatefulSetStatus, statusOf } from "./status.ts";

export interface ObservedStatefulSet extends ObservedRevisions {
  readonly pods: Belongings<Pod>;
  readonly claims: ObservedClaims;
}

type Reads = typeof Pod | typeof ControllerRevision | typeof PersistentVolumeClaim;

/** Keeps numbered pods with their claims, one after the other or all at once. */
export const statefulSetReconciler: Reconciler<StatefulSet, ObservedStatefulSet, Reads> = {
  name: "statefulset-controller",
  kind: StatefulSet,
  reads: [],
  writes: [Pod, ControllerRevision, PersistentVolumeClaim],
  controls: [Pod, ControllerRevision],
  hasPlainConditions: true,
  observe(set, reader) {
    const pods = observeBelongings(set, set.spec.selector, Pod, reader);
    const members = membersOf(set, pods);
    const claims = set.spec.volumeClaimTemplates?.length ? observeClaims(set, members.ours, reader) : {};
    return { pods, claims, ...observeRevisions(set, reader) };
  },
  decide,
};

function observeClaims(set: StatefulSet, pods: readonly Pod[], reader: Reader<Reads>): ObservedClaims {
  const wanted = Array.from({ length: wantedOf(set) }, (_, i) => startOf(set) + i);
  const ordinals = new Set([...wanted, ...pods.map((pod) => ordinalOf(set, pod) ?? 0)]);
  const claims: Record<string, Fact<PersistentVolumeClaim>> = {};
  for (const ordinal of ordinals) {
    for (const { metadata } of claimsOf(set, ordinal)) {
      const { namespace, name = "" } = metadata;
      claims[name] = reader.get(PersistentVolumeClaim, { namespace, name });
    }
  }
  return claims;
}

/** Pods that fit the selector and are named after the set. */
function membersOf(set: StatefulSet, pods: Belongings<Pod>) {
  const isMember = (pod: Pod) => ordinalOf(set, pod) !== undefined;
  const { ours, strangers } = claim({ own: pods.own, orphans: pods.orphans.filter(isMember) }, set.spec.selector);
  return { ours: ours.filter(isMember), strangers: [...strangers, ...ours.filter((pod) => !isMember(pod))] };
}

function decide(set: StatefulSet, observed: ObservedStatefulSet, now: Instant): Decision<StatefulSetStatus> {
  const { nameHolder } = observed;
  const before: StatefulSetStatus = set.status ?? { replicas: 0 };
  const isUnresolved = [nameHolder, ...Object.values(observed.claims)].some(
    ({ is }) => is === "pending" || is === "unreachable",
  );
  if (isUnresolved) return { do: "hold", status: before };
  if (nameHolder.is === "known") {
    return { do: "hold", status: { ...before, collisionCount: (before.collisionCount ?? 0) + 1 } };
  }
  const { ours, strangers } = membersOf(set, observed.pods);
  const history = planHistory(set, observed.revisions, "controller.kubernetes.io/hash");
  const latest = history.latest.metadata.name ?? "";
  const current = history.all.find(({ metadata }) => metadata.name === before.currentRevision) ?? history.latest;
  const plan = planPods(set, ours, claimStateOf(set, observed.claims), { now, latest });
  const leaving = new Set(plan.remove.filter(isControlled));
  const kept = ours.filter((pod) => !leaving.has(pod) && !isTerminating(pod));
  const repairs = repairsOf(set, kept);
  const recheckIn = untilNextAvailable(ours, set.spec.minReadySeconds ?? 0, now);
  return {
    do: "converge",
    children: [
      ...history.children(isLive(set, history, current, ours)),
      ...missingClaims(set, observed.claims, ours, plan.make),
      ...kept.map((pod): Desired => ({ kind: Pod, object: pod, keep: true })),
      ...plan.make.map((ordinal) => podOf(set, ordinal, current, history.latest)),
    ],
    patches: [
      ...repairs.patches,
      ...ownerPatches(set, observed.claims, ours),
      ...letGo(set, Pod, strangers),
      ...letGo(set, ControllerRevision, claim(observed.revisions, set.spec.selector).strangers),
    ],
    status: statusOf(set, ours, { current: current.metadata.name ?? "", latest }, now),
    notes: [...[...leaving].sort(byName).map((pod) => reported(set, pod, "Delete")), ...repairs.notes],
    ...(recheckIn === undefined ? {} : { recheckIn }),
  };
}

function reported(set: StatefulSet, pod: Pod, verb: "Delete" | "Update"): Note {
  const message = `${verb} Pod ${pod.metadata.name} in StatefulSet ${set.metadata.name} successful`;
  return { type: "Normal", reason: `Successful${verb}`, message };
}

/** Below the partition, and while an update is under way, a lost pod comes back as it was. */
function podOf(set: StatefulSet, ordinal: number, current: ControllerRevision, latest: ControllerRevision): Desired {
  const { type, rollingUpdate } = set.spec.updateStrategy ?? {};
  const untouched = rollingUpdate === undefined ? (set.status?.currentReplicas ?? 0) : (rollingUpdate.partition ?? 0);
  const revision = type !== "OnDelete" && ordinal < startOf(set) + untouched ? current : latest;
  return newPod(set, ordinal, templateOf(revision), revision.metadata.name ?? "");
}

/** Pods that were taken in get the labels that say which one they are. */
function repairsOf(set: StatefulSet, pods: readonly Pod[]): { patches: Patch[]; notes: Note[] } {
  const odd = pods.filter(({ metadata }) => metadata.labels?.[podNameLabel] !== metadata.name).sort(byName);
  const patches = odd.map(({ metadata: { name = "" }, ...pod }): Patch => {
    const labels = identityLabels(set, ordinalOf(set, { ...pod, metadata: { name } } as Pod) ?? 0);
    return { patch: "fields", kind: Pod, object: { apiVersion: "v1", kind: "Pod", metadata: { name, labels } } };
  });
  return { patches, notes: odd.map((pod) => reported(set, pod, "Update")) };
}

/** A revision stays while pods have it, while it is current or latest, and as long as the history is long. */
function isLive(set: StatefulSet, history: History, current: ControllerRevision, pods: readonly Pod[]) {
  const inUse = new Set([current.metadata.name, history.latest.metadata.name, ...pods.map(revisionOf)]);
  const unused = history.all.filter(({ metadata }) => !inUse.has(metadata.name));
  const limit = set.spec.revisionHistoryLimit ?? 10;
  const gone = new Set(unused.slice(0, Math.max(0, unused.length - limit)));
  return (revision: ControllerRevision) => !gone.has(revision);
}
