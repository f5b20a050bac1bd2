import { setTimeout as sleep } from "node:timers/promises";
import { type KubeClient, Node } from "@trivium/kube";
import type { JsonObject } from "@trivium/std";
import { inParallel } from "../llmkube/in-parallel.ts";

const nameOf = (at: number): string => `node-${at}`;
const kibibyte = 1024;

/** Nodes as kubelets report them, with the labels of a cloud and the fifty images that a kubelet lists; no pod runs on them. */
export async function createNodes(client: KubeClient, count: number): Promise<void> {
  const names = Array.from({ length: count }, (_, at) => nameOf(at));
  await inParallel(
    names.map((name) => async () => {
      await client.create(Node, { apiVersion: "v1", kind: "Node", metadata: { name, labels: labelsOf(name) } });
      const body = { status: statusOf(name) };
      await client.patch(Node, { name }, { type: "merge", body }, { subresource: "status" });
    }),
  );
}

/** A kubelet reports every five minutes that nothing changed: so many Nodes do, spread over this many milliseconds. */
export async function reportHeartbeats(client: KubeClient, count: number, time: number): Promise<void> {
  const began = performance.now();
  for (let at = 0; at < count; at += 1) {
    await sleep(Math.max(0, (at / count) * time - (performance.now() - began)));
    const body = { status: { conditions: conditions() } };
    await client.patch(Node, { name: nameOf(at) }, { type: "merge", body }, { subresource: "status" });
  }
}

const labelsOf = (name: string): Record<string, string> => ({
  "kubernetes.io/hostname": name,
  "kubernetes.io/arch": "amd64",
  "kubernetes.io/os": "linux",
  "node.kubernetes.io/instance-type": "gpu-8x",
  "topology.kubernetes.io/region": "north",
  "topology.kubernetes.io/zone": "north-a",
  "amd.com/gpu.device-id": "74a1",
  "amd.com/gpu.product-name": "MI300X",
  "amd.com/gpu.vram": "192G",
});

function statusOf(name: string): JsonObject {
  const capacity = { cpu: "192", memory: "1536Gi", pods: "250", "amd.com/gpu": "8", "ephemeral-storage": "3500Gi" };
  const digest = "a".repeat(64);
  const images = Array.from({ length: 50 }, (_, at) => ({
    names: [
      `registry.example.com/team/image-${at}@sha256:${digest}`,
      `registry.example.com/team/image-${at}:1.0.${at}`,
    ],
    sizeBytes: at * kibibyte ** 2,
  }));
  return {
    capacity,
    allocatable: capacity,
    conditions: conditions(),
    images,
    addresses: [{ type: "Hostname", address: name }],
  };
}

function conditions(): JsonObject[] {
  const now = new Date().toISOString();
  return ["MemoryPressure", "DiskPressure", "PIDPressure", "Ready"].map((type) => ({
    type,
    status: type === "Ready" ? "True" : "False",
    reason: "KubeletReports",
    message: "reported by the kubelet",
    lastHeartbeatTime: now,
    lastTransitionTime: "2026-11-01T00:00:00Z",
  }));
}
