import type { Node, Pod, PodSpec } from "@trivium/kube";
import { type Placement, placePods } from "../place-pods.ts";
import type { ObservedSnapshot } from "./snapshot.ts";

/** Small worlds for tables: `node("a", { allocatable: { "nvidia.com/gpu": "2" } })`, `pod("p", { spec: … })`. */
interface NodeOptions {
  readonly labels?: Record<string, string>;
  readonly allocatable?: Record<string, string>;
  readonly spec?: NonNullable<Node["spec"]>;
}

export function node(name: string, request: NodeOptions = {}): Node {
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name, uid: `node-${name}`, labels: { "kubernetes.io/hostname": name, ...request.labels } },
    spec: request.spec ?? {},
    status: { allocatable: { cpu: "4", memory: "16Gi", pods: "110", ...request.allocatable } },
  };
}

interface PodOptions {
  readonly labels?: Record<string, string>;
  readonly requests?: Record<string, string>;
  readonly spec?: Partial<PodSpec>;
  readonly on?: string;
  readonly metadata?: Partial<Pod["metadata"]>;
  readonly status?: NonNullable<Pod["status"]>;
}

export function pod(name: string, request: PodOptions = {}): Pod {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name,
      namespace: "default",
      uid: `pod-${name}`,
      creationTimestamp: "2026-01-01T00:00:00Z",
      ...(request.labels === undefined ? {} : { labels: request.labels }),
      ...request.metadata,
    },
    spec: {
      containers: [{ name: "main", image: "x", resources: { requests: request.requests ?? {} } }],
      ...(request.on === undefined ? {} : { nodeName: request.on }),
      ...request.spec,
    },
    status: { phase: request.on === undefined ? "Pending" : "Running", ...request.status },
  };
}

export function snapshot(
  nodes: readonly Node[],
  pods: readonly Pod[],
  rest: Partial<ObservedSnapshot> = {},
): ObservedSnapshot {
  const none = { namespaces: [], claims: [], volumes: [], storageClasses: [], budgets: [] };
  return { nodes, pods, ...none, ...rest };
}

/** In one line: `name → node`, or why not. */
export function placed(observed: ObservedSnapshot): readonly string[] {
  return placePods(observed, "default-scheduler").map(tell);
}

function tell(placement: Placement): string {
  const { name } = placement.pod.metadata;
  switch (placement.is) {
    case "bound":
      return `${name} → ${placement.node}`;
    case "reserved":
      return `${name} ⇢ ${placement.node} (${placement.choices.map(({ claim, volume }) => `${claim.metadata.name}: ${volume?.metadata.name ?? "new"}`).join(", ")})`;
    case "unschedulable":
      return `${name}: ${placement.message}`;
    case "nominated":
      return `${name} ⇒ ${placement.node} instead of ${placement.victims.map(({ metadata }) => metadata.name).join(", ")}: ${placement.message}`;
    case "waiting":
      return `${name} waits for ${placement.node}`;
  }
}
