import type { Job, Pod } from "@trivium/kube";
import { indexKey, trackingFinalizer } from "./pod-outcome.ts";

/** A job that has begun, and pods of it. */
export function job(spec: Partial<Job["spec"]> = {}, status: Partial<NonNullable<Job["status"]>> = {}): Job {
  return {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name: "work", namespace: "default", uid: "job", creationTimestamp: "2026-01-01T00:00:00Z" },
    spec: {
      parallelism: 1,
      completions: 1,
      backoffLimit: 6,
      selector: { matchLabels: { job: "work" } },
      template: {
        metadata: { labels: { job: "work" } },
        spec: { restartPolicy: "Never", containers: [{ name: "main" }] },
      },
      ...spec,
    },
    status: { startTime: "2026-01-01T00:00:00Z", ...status },
  };
}

interface PodOptions {
  readonly phase?: "Pending" | "Running" | "Succeeded" | "Failed";
  readonly index?: number;
  /** Seconds after midnight. */
  readonly endedAt?: number;
  readonly exitCode?: number;
  readonly isCounted?: boolean;
  readonly metadata?: Partial<Pod["metadata"]>;
}

export function pod(name: string, request: PodOptions = {}): Pod {
  const { phase = "Running", index, endedAt = 0, exitCode = phase === "Failed" ? 1 : 0 } = request;
  const finishedAt = new Date(Date.UTC(2026, 0, 1, 0, 0, endedAt)).toISOString();
  const isOver = phase === "Succeeded" || phase === "Failed";
  const state = isOver ? { terminated: { exitCode, finishedAt } } : { running: {} };
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name,
      namespace: "default",
      uid: `uid-${name}`,
      labels: { job: "work" },
      ownerReferences: [{ apiVersion: "batch/v1", kind: "Job", name: "work", uid: "job", controller: true }],
      ...(index === undefined ? {} : { annotations: { [indexKey]: `${index}` } }),
      ...(request.isCounted ? {} : { finalizers: [trackingFinalizer] }),
      ...request.metadata,
    },
    spec: { containers: [{ name: "main" }] },
    status: {
      phase,
      containerStatuses: [{ name: "main", image: "", imageID: "", ready: false, restartCount: 0, state }],
    },
  };
}
