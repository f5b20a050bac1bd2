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

interface Holder {
  /** A process of a pod, or nothing between two holders. */
  readonly identity: string;
  /** Milliseconds, as the holders wrote them. */
  readonly acquired: number;
  readonly renewed: number;
}

async function holder({ kubectl }: RealCluster, namespace: string): Promise<Holder> {
  const lease = await kubectl(["get", "lease", "trivium-operator", "--namespace", namespace, "--output=json"]);
  const { spec } = JSON.parse(lease) as {
    spec: { holderIdentity?: string; acquireTime?: string; renewTime?: string };
  };
  const { holderIdentity = "", acquireTime = "", renewTime = "" } = spec;
  const [acquired, renewed] = [Date.parse(acquireTime), Date.parse(renewTime)];
  return { identity: holderIdentity, acquired, renewed };
}

async function podsOf({ kubectl }: RealCluster, namespace: string): Promise<OperatorPod[]> {
  const pods = ["get", "pods", "--namespace", namespace, "--selector", "app.kubernetes.io/component=operator"];
  return (JSON.parse(await kubectl([...pods, "--output", "json"])) as { items: OperatorPod[] }).items;
}

/**
 * Seconds without a leader: from the last time that the former one renewed the Lease to the time that another process acquired it. A
 * killed container is started again in its pod, and its new process can be the first to find the Lease expired.
 */
export async function replaceLeader(
  cluster: RealCluster,
  namespace: string,
  end: (cluster: RealCluster, leader: OperatorPod) => Promise<void>,
): Promise<number> {
  const first = await holder(cluster, namespace);
  const leader = (await podsOf(cluster, namespace)).find(({ metadata }) =>
    first.identity.startsWith(`${metadata.name}_`),
  );
  assert.ok(leader, `the holder ${first.identity} is a pod of the operator`);
  let { renewed } = first;
  let next = first;
  await end(cluster, leader);
  const isReplaced = async (): Promise<boolean> => {
    next = await holder(cluster, namespace);
    if (next.identity === first.identity) ({ renewed } = next);
    return next.identity !== "" && next.identity !== first.identity;
  };
  await until(isReplaced, "another process holds the Lease");
  return (next.acquired - renewed) / 1000;
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
