import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { writeKubeconfig } from "@trivium/apiserver";
import { createClient, httpTransport, loadKubeconfig } from "@trivium/client";
import {
  CustomResourceDefinition,
  findCondition,
  type KubeClient,
  Namespace,
  ServiceAccount,
  type Transport,
} from "@trivium/kube";
import { bundleOf } from "../../scripts/toolchain.mjs";
import { startCluster, stopCluster } from "../../tools/cluster/cluster.ts";
import { allDefinitions } from "../support/definitions.ts";
import { processorTimeOf } from "../support/measured-server.ts";
import { AuditLog, auditPolicyFor } from "./audit.ts";
import { bareNamespace, namespace } from "./fleets.ts";

const home = "trivium-system";
const account = "trivium-operator";
const run = promisify(execFile);
const signals = ["SIGINT", "SIGTERM"] as const;
/** By default the controllers make 20 calls a second, which alone would decide when the last pod exists and the last status is final. */
const unthrottled = ["--kube-api-qps=1000", "--kube-api-burst=1000"];
/** A node without a kubelet gets another taint after a minute, with which the scheduler would explain again why each pod waits. */
const patientWithNodes = ["--node-startup-grace-period=24h"];

/** A real control plane that records every call of one service account. */
export interface MeasuredCluster {
  /** An administrator, whose calls are not recorded. */
  readonly client: KubeClient;
  readonly transport: Transport;
  /** Of the service account of the operator. */
  readonly kubeconfig: string;
  readonly operatorNamespace: string;
  readonly audit: AuditLog;
  /** Processor time of API server and etcd so far, in milliseconds. */
  processorTime(): number;
  /** The same of controllers and scheduler, which are not part of what an operator costs. */
  controllerTime(): number;
  stop(): Promise<void>;
}

/** Starts it with all definitions. The account has the rights that our operator prints, or all of them for another operator. */
export async function startMeasuredCluster(rights: "printed" | "all"): Promise<MeasuredCluster> {
  const place = mkdtempSync(join(tmpdir(), "trivium-measured-"));
  const folder = join(place, "cluster");
  const path = (name: string): string => join(place, name);
  const onSignal = (): void => void stopAll().finally(() => process.exit(1));
  const stopAll = async (): Promise<void> => {
    for (const signal of signals) process.off(signal, onSignal);
    await stopCluster(folder);
    rmSync(place, { recursive: true, force: true });
  };
  // Its processes outlive this one unless they are stopped.
  for (const signal of signals) process.once(signal, onSignal);
  try {
    writeFileSync(path("policy.json"), auditPolicyFor(`system:serviceaccount:${home}:${account}`));
    writeFileSync(path("audit.log"), "");
    // One file for a whole run: thousands of services fill more than the 100 MB after which another one is begun.
    const auditLog = [`--audit-log-path=${path("audit.log")}`, "--audit-log-maxsize=100000"];
    const apiServerArguments = [`--audit-policy-file=${path("policy.json")}`, ...auditLog];
    const cluster = await startCluster({
      folder,
      controllers: true,
      apiServerArguments,
      controllerArguments: unthrottled,
      controllerManagerArguments: patientWithNodes,
      print: console.error,
    });
    const access = await loadKubeconfig(cluster.kubeconfig);
    const transport = httpTransport(access);
    const client = createClient(transport);
    for (const name of [home, namespace, bareNamespace, "ome"])
      await client.create(Namespace, { apiVersion: "v1", kind: "Namespace", metadata: { name } });
    await establish(client);
    const kubectl = async (...args: string[]): Promise<string> =>
      (await run(cluster.kubectl, [`--kubeconfig=${cluster.kubeconfig}`, ...args])).stdout;
    writeFileSync(path("rbac.yaml"), await printedRights());
    await kubectl("apply", "-f", path("rbac.yaml"));
    if (rights === "all")
      await kubectl(
        "create",
        "clusterrolebinding",
        `${account}-admin`,
        "--clusterrole=cluster-admin",
        `--serviceaccount=${home}:${account}`,
      );
    await client.get(ServiceAccount, { namespace: home, name: account });
    const token = (await kubectl("create", "token", account, "-n", home, "--duration=24h")).trim();
    const kubeconfig = path("kubeconfig");
    await writeKubeconfig(kubeconfig, {
      server: cluster.url,
      authority: access.ca ?? "",
      credential: { is: "token", token },
    });
    const timeOf = (names: readonly string[]): number =>
      processesOf(folder, names).reduce((sum, pid) => sum + processorTimeOf(pid), 0);
    const stop = async (): Promise<void> => {
      await transport.close();
      await stopAll();
    };
    return {
      client,
      transport,
      kubeconfig,
      operatorNamespace: home,
      audit: new AuditLog(path("audit.log")),
      processorTime: () => timeOf(["etcd", "kube-apiserver"]),
      controllerTime: () => timeOf(["kube-controller-manager", "kube-scheduler"]),
      stop,
    };
  } catch (error) {
    await stopAll();
    throw error;
  }
}

async function printedRights(): Promise<string> {
  return (await run(process.execPath, [bundleOf("operator"), "--print-rbac", "--operator-namespace", home])).stdout;
}

function processesOf(folder: string, names: readonly string[]): number[] {
  const processes = JSON.parse(readFileSync(join(folder, "processes.json"), "utf8")) as { name: string; pid: number }[];
  return processes.filter(({ name }) => names.includes(name)).map(({ pid }) => pid);
}

async function establish(client: KubeClient): Promise<void> {
  const crds = await allDefinitions();
  for (const crd of crds) await client.create(CustomResourceDefinition, crd);
  for (const { metadata } of crds) {
    const isEstablished = async (): Promise<boolean> => {
      const { status } = await client.get(CustomResourceDefinition, { name: metadata.name ?? "" });
      return findCondition(status?.conditions, "Established")?.status === "True";
    };
    while (!(await isEstablished())) await sleep(100);
  }
}
