import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { KeyPair } from "@trivium/apiserver";
import { debianPackages } from "@trivium/testkit";
import { ensurePrograms, type GoPrograms, NoCluster, outputOf } from "../build.ts";
import { kubernetesVersion } from "../places.ts";
import { startProcess } from "../processes.ts";
import {
  cgroupOf,
  containerdConfiguration,
  containerdSocket,
  dnsConfiguration,
  kubeletConfiguration,
  nodeName,
  proxyConfiguration,
} from "./configuration.ts";
import { importImages, writeToolImages } from "./images.ts";
import { chooseNetwork, cniConfiguration, joinNetwork, type NodeNetwork } from "./network.ts";
import { run } from "./programs.ts";
import { createCgroups, removeCgroups, startSandbox } from "./sandbox.ts";

/** A node that is not started yet: its addresses are known, and everything it needs is on this machine. */
export interface PreparedNode {
  readonly network: NodeNetwork;
  /** Creates its namespaces and joins them to the machine. */
  join(): Promise<void>;
  /** Starts its programs and resolves when the API server reports that it is ready. */
  start(cluster: NodeCluster): Promise<void>;
}

interface NodeCluster {
  readonly kubeconfig: string;
  readonly kubectl: string;
  readonly certificate: KeyPair;
}

/** What a node keeps for those who look after it later: which process it lives in, and what else must be removed. */
interface NodeRecord {
  readonly process: number;
  readonly packages: string;
  readonly libraries: string;
  readonly network: NodeNetwork;
}

const recordOf = (folder: string): string => join(folder, "node", "node.json");

const kubernetesPrograms: GoPrograms = {
  module: import.meta.dirname,
  output: outputOf(`node-${kubernetesVersion}`, import.meta.dirname),
  about: `kubelet and kube-proxy ${kubernetesVersion} once, a few minutes of one core`,
  programs: { kubelet: "k8s.io/kubernetes/cmd/kubelet", "kube-proxy": "k8s.io/kubernetes/cmd/kube-proxy" },
};

const dnsModule = join(import.meta.dirname, "..", "coredns");
const dnsPrograms: GoPrograms = {
  module: dnsModule,
  output: outputOf("coredns", dnsModule),
  about: "CoreDNS once, a few minutes of one core",
  programs: { coredns: "." },
};

/** Whether this machine has built the programs of a node: tests do not wait for that. */
export const isNodeBuilt = (): boolean => [kubernetesPrograms, dnsPrograms].every(({ output }) => existsSync(output));

export async function prepareNode(folder: string, print: (line: string) => void): Promise<PreparedNode> {
  if (process.platform !== "linux" || process.getuid?.() !== 0)
    throw new NoCluster("a node that runs pods needs root on Linux");
  const packages = await debianPackages(
    "containerd",
    "runc",
    "containernetworking-plugins",
    "nftables",
    "busybox-static",
  );
  if (packages.is === "missing") throw new NoCluster(packages.why);
  const [kubernetes, dns] = [kubernetesPrograms, dnsPrograms].map((each) => ensurePrograms(each, print)) as [
    string,
    string,
  ];
  const network = chooseNetwork(folder, run("ip", ["-4", "route"]));
  const own = join(folder, "node");
  const libraries = packages.environment.LD_LIBRARY_PATH ?? "";
  return {
    network,
    join: async () => {
      mkdirSync(own, { recursive: true, mode: 0o755 });
      const first = await startSandbox(own);
      joinNetwork(network, first);
      createCgroups(cgroupOf(network));
      const record: NodeRecord = { process: first, packages: packages.root, libraries, network };
      writeFileSync(recordOf(folder), JSON.stringify(record));
    },
    start: (cluster) => startPrograms(folder, cluster, { kubernetes, dns }),
  };
}

async function startPrograms(
  folder: string,
  { kubeconfig, kubectl, certificate }: NodeCluster,
  programs: { readonly kubernetes: string; readonly dns: string },
): Promise<void> {
  const { network, packages } = readRecord(folder);
  const own = join(folder, "node");
  const keep = (name: string, text: string): string => {
    mkdirSync(join(own, "cni"), { recursive: true });
    writeFileSync(join(own, name), text, { mode: 0o600 });
    return join(own, name);
  };
  const places = { folder: own, packages, network };
  const within = (name: string, program: string, ...args: string[]): void => {
    startProcess(folder, name, "/usr/bin/nsenter", enter(folder, [program, ...args]));
  };
  keep("cni/pods.conflist", cniConfiguration(network));
  keep("resolv.conf", "");
  keep("kubelet.crt", certificate.cert);
  keep("kubelet.key", certificate.key);
  within(
    "containerd",
    join(packages, "usr/bin/containerd"),
    "--config",
    keep("containerd.toml", containerdConfiguration(places)),
  );
  await untilThere(join("/proc", String(readRecord(folder).process), "root", containerdSocket));
  importImages(folder, writeToolImages(own, packages));
  const settings = keep("kubelet.json", kubeletConfiguration(places));
  const kubelet = ["--config", settings, "--kubeconfig", kubeconfig, "--hostname-override", nodeName];
  within(
    "kubelet",
    join(programs.kubernetes, "kubelet"),
    ...kubelet,
    "--node-ip",
    network.node,
    "--root-dir",
    join(own, "kubelet"),
  );
  within(
    "kube-proxy",
    join(programs.kubernetes, "kube-proxy"),
    "--config",
    keep("proxy.json", proxyConfiguration(kubeconfig, network)),
  );
  within("coredns", join(programs.dns, "coredns"), "-conf", keep("Corefile", dnsConfiguration(kubeconfig, network)));
  startProcess(folder, "provisioner", process.execPath, [
    join(import.meta.dirname, "provisioner.ts"),
    kubeconfig,
    join(own, "volumes"),
  ]);
  const env = { ...process.env, KUBECONFIG: kubeconfig };
  for (const condition of ["create", "condition=Ready"])
    run(kubectl, ["wait", `--for=${condition}`, `node/${nodeName}`, "--timeout=180s"], env);
}

/** The command line that runs another one inside the node. */
export function enter(folder: string, command: readonly string[]): string[] {
  const { process: first, packages, libraries } = readRecord(folder);
  const path = [...["usr/sbin", "usr/bin", "sbin", "bin"].map((each) => join(packages, each)), process.env.PATH ?? ""];
  const env = ["env", `LD_LIBRARY_PATH=${libraries}`, `PATH=${path.join(":")}`];
  return ["--target", String(first), "--net", "--mount", "--pid", "--ipc", "--uts", ...env, ...command];
}

export function readRecord(folder: string): NodeRecord {
  return JSON.parse(readFileSync(recordOf(folder), "utf8")) as NodeRecord;
}

/** Ends every process of a node at once: all live in the namespace of its first one. */
export function endNode(folder: string): void {
  if (!existsSync(recordOf(folder))) return;
  const { process: first, network } = readRecord(folder);
  // The number of a process is used again; that of our first one has our interface's addresses.
  if (isFirstProcess(first, network)) process.kill(first, "SIGKILL");
}

function isFirstProcess(first: number, { node }: NodeNetwork): boolean {
  const path = `/proc/${first}/net/fib_trie`;
  return existsSync(path) && readFileSync(path, "utf8").includes(node);
}

/** Interfaces, routes and mounts have ended with the processes; cgroups stay until they are removed. */
export async function clearNode(folder: string): Promise<void> {
  if (!existsSync(recordOf(folder))) return;
  const { process: first, network } = readRecord(folder);
  for (const deadline = Date.now() + 10_000; isFirstProcess(first, network) && Date.now() < deadline; )
    await new Promise((resolve) => setTimeout(resolve, 50));
  removeCgroups(cgroupOf(network));
  rmSync(join(folder, "node"), { recursive: true, force: true });
}

async function untilThere(path: string): Promise<void> {
  for (const deadline = Date.now() + 60_000; !existsSync(path); ) {
    if (Date.now() > deadline) throw new Error(`${path} does not appear; see containerd.log`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
