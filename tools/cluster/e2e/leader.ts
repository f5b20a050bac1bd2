import assert from "node:assert/strict";
import { until } from "@trivium/testkit";
import { enter } from "../node/node.ts";
import { run } from "../node/programs.ts";
import type { RealCluster } from "./installed.ts";

interface OperatorPod {
  readonly metadata: { readonly name: string };
  readonly status: {
    readonly containerStatuses: readonly { readonly containerID: string; readonly restartCount: number }[];
  };
}

/** Who holds the Lease: the name of a pod, or nothing between two holders. */
async function holder({ kubectl }: RealCluster, namespace: string): Promise<string> {
  const lease = ["get", "lease", "trivium-operator", "--namespace", namespace];
  const identity = await kubectl([...lease, "--output", "jsonpath={.spec.holderIdentity}"]);
  return identity.split("_")[0] ?? "";
}

async function podsOf({ kubectl }: RealCluster, namespace: string): Promise<OperatorPod[]> {
  const pods = ["get", "pods", "--namespace", namespace, "--selector", "app.kubernetes.io/component=operator"];
  return (JSON.parse(await kubectl([...pods, "--output", "json"])) as { items: OperatorPod[] }).items;
}

/** Seconds from the end of the leader to another pod that holds the Lease. */
export async function replaceLeader(
  cluster: RealCluster,
  namespace: string,
  end: (cluster: RealCluster, leader: OperatorPod) => Promise<void>,
): Promise<number> {
  const first = await holder(cluster, namespace);
  const leader = (await podsOf(cluster, namespace)).find(({ metadata }) => metadata.name === first);
  assert.ok(leader, `the holder ${first} is a pod of the operator`);
  const began = performance.now();
  await end(cluster, leader);
  const isReplaced = async (): Promise<boolean> => {
    const next = await holder(cluster, namespace);
    return next !== "" && next !== first;
  };
  await until(isReplaced, "another pod holds the Lease");
  return (performance.now() - began) / 1000;
}

/** As the out-of-memory killer ends it: without a moment to give the Lease back. */
export async function kill({ folder }: RealCluster, { status }: OperatorPod): Promise<void> {
  const id = status.containerStatuses[0]?.containerID.replace("containerd://", "") ?? "";
  const ctr = ["ctr", "--namespace", "k8s.io", "--address", "/run/containerd/containerd.sock"];
  run("nsenter", enter(folder, [...ctr, "tasks", "kill", "--signal", "SIGKILL", id]));
}

/** As a rollout or a drained node ends it. */
export async function stop({ kubectl }: RealCluster, { metadata }: OperatorPod): Promise<void> {
  await kubectl(["delete", "pod", metadata.name, "--namespace", "trivium-system", "--wait=false"]);
}
