import { type ControllerRevision, type KubeObject, ownerReferenceTo, type Pod, type ReplicaSet } from "@trivium/kube";
import { formatTime, type Instant } from "@trivium/std";

/** The moment at which the tables and cases of this package decide. */
export const now: Instant = Date.UTC(2026, 0, 1, 12);
export const before = (seconds: number): string => formatTime(now - seconds * 1_000);

export const labels = { app: "web" };
export const selector = { matchLabels: labels };
export const template = (image = "web:1") => ({
  metadata: { labels },
  spec: { containers: [{ name: "main", image }] },
});

export const uidOf = (name: string): string => `uid-of-${name}`;

export function head(name: string, more: Partial<KubeObject["metadata"]> = {}): KubeObject["metadata"] {
  return { name, namespace: "default", uid: uidOf(name), generation: 1, creationTimestamp: before(600), ...more };
}

export interface PodOptions {
  readonly owner?: KubeObject;
  readonly labels?: Record<string, string>;
  readonly node?: string;
  /** Ready for so many seconds. */
  readonly ready?: number;
  readonly phase?: "Pending" | "Running" | "Succeeded" | "Failed";
  readonly isEnding?: true;
  readonly age?: number;
  readonly annotations?: Record<string, string>;
}

export function pod(name: string, request: PodOptions = {}): Pod {
  const isReady = request.ready !== undefined;
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: head(name, {
      labels: request.labels ?? labels,
      creationTimestamp: before(request.age ?? 300),
      ...(request.annotations && { annotations: request.annotations }),
      ...(request.owner && { ownerReferences: [ownerReferenceTo(request.owner)] }),
      ...(request.isEnding && { deletionTimestamp: before(1) }),
    }),
    spec: { containers: [{ name: "main", image: "web:1" }], nodeName: request.node ?? "node-a" },
    status: {
      phase: request.phase ?? "Running",
      conditions: [
        isReady
          ? { type: "Ready", status: "True", lastTransitionTime: before(request.ready ?? 0) }
          : { type: "Ready", status: "False", lastTransitionTime: before(0) },
      ],
    },
  };
}

export interface SetOptions {
  readonly owner?: KubeObject;
  readonly image?: string;
  readonly size?: number;
  readonly available?: number;
  readonly pods?: number;
  readonly revision?: number;
  readonly annotations?: Record<string, string>;
  readonly age?: number;
}

export function replicaSet(name: string, request: SetOptions = {}): ReplicaSet {
  const { size = 1 } = request;
  const available = request.available ?? size;
  const annotations = {
    ...(request.revision !== undefined && { "deployment.kubernetes.io/revision": String(request.revision) }),
    ...request.annotations,
  };
  return {
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    metadata: head(name, {
      labels,
      annotations,
      creationTimestamp: before(request.age ?? 600),
      ...(request.owner && { ownerReferences: [ownerReferenceTo(request.owner)] }),
    }),
    spec: { replicas: size, selector, template: template(request.image) },
    status: {
      replicas: request.pods ?? size,
      readyReplicas: available,
      availableReplicas: available,
      observedGeneration: 1,
    },
  };
}

export function revision(owner: KubeObject, number: number, image: string): ControllerRevision {
  const data = { spec: { template: { ...template(image), $patch: "replace" } } };
  const hash = { "controller.kubernetes.io/hash": image, "controller-revision-hash": image };
  return {
    apiVersion: "apps/v1",
    kind: "ControllerRevision",
    metadata: head(`${owner.metadata.name}-${number}`, {
      labels: { ...labels, ...hash },
      ownerReferences: [ownerReferenceTo(owner)],
    }),
    data: data as ControllerRevision["data"],
    revision: number,
  };
}

/** A decision in short: names of children with a sign for what happens to them, and the names let go. */
export function summarize(decision: {
  do: string;
  children?: readonly { object: KubeObject; keep?: true }[];
}): string[] {
  return (decision.children ?? []).map(({ object, keep }) => `${keep ? "=" : "+"}${object.metadata.name}`).sort();
}
