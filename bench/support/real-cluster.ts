import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type CustomResourceDefinition, findCondition } from "@trivium/kube";
import type { Pool } from "undici";
import { startCluster, stopCluster } from "../../tools/cluster/cluster.ts";
import { send } from "./calls.ts";
import { connect, type MeasuredServer, memoryOf, processorTimeOf } from "./measured-server.ts";

const definitionsPath = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

export interface RunningCluster extends MeasuredServer {
  /** Milliseconds from the start of its processes until the last CRD was Established. */
  readonly startedIn: number;
}

/** A place for a cluster, and how everything in it is ended and removed, whether or not it was ever started. */
export interface ClusterPlace {
  readonly folder: string;
  clear(): Promise<void>;
}

export function newClusterPlace(): ClusterPlace {
  const folder = mkdtempSync(join(tmpdir(), "trivium-measured-cluster-"));
  return {
    folder,
    clear: async () => {
      await stopCluster(folder);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Starts kube-apiserver and etcd, which syncs every write to the disk as shipped, and gives them these CRDs. */
export async function startRealCluster(
  { folder, clear }: ClusterPlace,
  crds: readonly CustomResourceDefinition[],
): Promise<RunningCluster> {
  const began = performance.now();
  const { kubeconfig } = await startCluster({ folder, controllers: false, print: console.error });
  const server: MeasuredServer = {
    kubeconfig,
    memory: () => sumOverProcesses(folder, memoryOf),
    processorTime: () => sumOverProcesses(folder, processorTimeOf),
    stop: clear,
  };
  await establish(server, crds);
  return { ...server, startedIn: performance.now() - began };
}

function sumOverProcesses(folder: string, measure: (pid: number) => number): number {
  const processes = JSON.parse(readFileSync(join(folder, "processes.json"), "utf8")) as { pid: number }[];
  return processes.reduce((sum, { pid }) => sum + measure(pid), 0);
}

async function establish(server: MeasuredServer, crds: readonly CustomResourceDefinition[]): Promise<void> {
  const pool = connect(server, crds.length);
  try {
    const create = (crd: CustomResourceDefinition): Promise<string> =>
      send(pool, { method: "POST", path: definitionsPath, body: JSON.stringify(crd) });
    await Promise.all(crds.map(create));
    // One after the other and each by itself: lists of large definitions would be work that nobody asked to measure.
    for (const crd of crds)
      while (!(await isEstablished(pool, crd))) await new Promise((resolve) => setTimeout(resolve, 50));
  } finally {
    await pool.close();
  }
}

async function isEstablished(pool: Pool, { metadata }: CustomResourceDefinition): Promise<boolean> {
  const text = await send(pool, { method: "GET", path: `${definitionsPath}/${metadata.name}` });
  const { status } = JSON.parse(text) as CustomResourceDefinition;
  return findCondition(status?.conditions, "Established")?.status === "True";
}
