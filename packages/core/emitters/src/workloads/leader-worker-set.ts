import type { GroupPlan } from "@trivium/domain";
import { LeaderWorkerSet } from "@trivium/kube";
import type { Desired } from "@trivium/reconcile";
import { metadataOf } from "../metadata.ts";
import { templateOf } from "./pod-template.ts";

/** Groups live and die as one: who follows cannot go on with a leader that started anew. */
export function emitLeaderWorkerSet(plan: GroupPlan): Desired<LeaderWorkerSet> {
  const { leader, worker, size, replicas } = plan;
  const object: LeaderWorkerSet = {
    apiVersion: "leaderworkerset.x-k8s.io/v1",
    kind: "LeaderWorkerSet",
    metadata: metadataOf(plan),
    spec: {
      replicas,
      startupPolicy: "LeaderCreated",
      networkConfig: { subdomainPolicy: "Shared" },
      rolloutStrategy: {
        type: "RollingUpdate",
        rollingUpdateConfiguration: { maxUnavailable: 1, maxSurge: 1 },
      },
      leaderWorkerTemplate: {
        size,
        restartPolicy: "RecreateGroupOnPodRestart",
        leaderTemplate: templateOf(leader),
        workerTemplate: templateOf(worker),
      },
    },
  };
  return { kind: LeaderWorkerSet, object };
}
