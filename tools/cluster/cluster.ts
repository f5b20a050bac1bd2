import { generateKeyPairSync } from "node:crypto";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { get } from "node:https";
import { join } from "node:path";
import { type KeyPair, loadOrCreateIdentity, type ServerIdentity, writeKubeconfig } from "@trivium/apiserver";
import { aggregationArguments } from "./aggregation.ts";
import { ensureBinaries } from "./build.ts";
import { freePorts } from "./free-ports.ts";
import { clearNode, endNode, prepareNode } from "./node/node.ts";
import { isRunning, startProcess, stopProcesses } from "./processes.ts";

/** A real Kubernetes control plane on loopback. */
export interface Cluster {
  readonly kubeconfig: string;
  readonly url: string;
  readonly kubectl: string;
  /** For those who stand in for kubelets: the API server trusts this pair, and shows a certificate of this authority itself. */
  readonly kubelet: { readonly certificate: KeyPair; readonly clientAuthority: string };
}

export interface ClusterOptions {
  /** Where it keeps its data, keys and logs; emptied at the start. */
  readonly folder: string;
  /** Controllers and scheduler; without them only the API server and its store run. */
  readonly controllers: boolean;
  /** A real node that runs pods; needs root. */
  readonly node?: boolean;
  /** Further arguments of the API server, such as those of its audit log. */
  readonly apiServerArguments?: readonly string[];
  /** Further arguments of controllers and scheduler alike. */
  readonly controllerArguments?: readonly string[];
  /** Further arguments of the controllers alone. */
  readonly controllerManagerArguments?: readonly string[];
  print(line: string): void;
}

/** Starts a cluster anew and resolves when its API server says that it is ready. */
export async function startCluster(options: ClusterOptions): Promise<Cluster> {
  const programs = ensureBinaries(options.print);
  const node = options.node === true ? await prepareNode(options.folder, options.print) : undefined;
  await stopCluster(options.folder);
  rmSync(options.folder, { recursive: true, force: true });
  mkdirSync(options.folder, { recursive: true, mode: 0o700 });
  await node?.join();
  const names = node === undefined ? [] : [node.network.host, node.network.node, firstServiceAddress];
  const address = node?.network.host ?? "127.0.0.1";
  const identity = await loadOrCreateIdentity(join(options.folder, "identity"), { names });
  const kubelet = await loadOrCreateIdentity(join(options.folder, "kubelet"), { names });
  const [etcdPort = 0, peerPort = 0, apiPort = 0, controllerPort = 0, schedulerPort = 0] = await freePorts(5);
  const url = `https://${address}:${apiPort}`;
  const kubeconfig = join(options.folder, "kubeconfig");
  const run = (name: string, args: readonly string[]): number =>
    startProcess(options.folder, name, join(programs, name), args);

  run("etcd", etcdArguments(options.folder, etcdPort, peerPort));
  run("kube-apiserver", [
    ...apiServerArguments(options.folder, identity, etcdPort, apiPort),
    ...addressArguments(address),
    ...kubeletArguments(options.folder, kubelet),
    ...(await aggregationArguments(options.folder)),
    ...(options.apiServerArguments ?? []),
  ]);
  await writeKubeconfig(kubeconfig, {
    server: url,
    authority: identity.authority,
    credential: { is: "certificate", pair: identity.admin },
  });
  await untilReady(options.folder, url, identity.authority);
  if (options.controllers) {
    const further = options.controllerArguments ?? [];
    run("kube-controller-manager", [
      ...controllerArguments(options.folder, kubeconfig, controllerPort),
      ...(options.controllerManagerArguments ?? []),
      ...further,
    ]);
    run("kube-scheduler", [...schedulerArguments(kubeconfig, schedulerPort), ...further]);
  }
  const kubectl = join(programs, "kubectl");
  await node?.start({ kubeconfig, kubectl, certificate: kubelet.server });
  const trust = { certificate: kubelet.server, clientAuthority: kubelet.authority };
  return { kubeconfig, url, kubectl, kubelet: trust };
}

/** Ends what `startCluster` started in this folder; resolves with the names of the processes that were still there. */
export async function stopCluster(folder: string): Promise<string[]> {
  endNode(folder);
  const stopped = await stopProcesses(folder);
  await clearNode(folder);
  return stopped;
}

const etcdArguments = (folder: string, client: number, peer: number): string[] => [
  `--data-dir=${join(folder, "etcd")}`,
  `--listen-client-urls=http://127.0.0.1:${client}`,
  `--advertise-client-urls=http://127.0.0.1:${client}`,
  `--listen-peer-urls=http://127.0.0.1:${peer}`,
  `--initial-advertise-peer-urls=http://127.0.0.1:${peer}`,
  `--initial-cluster=default=http://127.0.0.1:${peer}`,
];

function apiServerArguments(folder: string, identity: ServerIdentity, etcd: number, port: number): string[] {
  const keep = (name: string, content: string): string => {
    const path = join(folder, name);
    writeFileSync(path, content, { mode: 0o600 });
    return path;
  };
  const signing = generateKeyPairSync("rsa", {
    modulusLength: 2048,
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
  });
  return [
    `--etcd-servers=http://127.0.0.1:${etcd}`,
    `--secure-port=${port}`,
    `--tls-cert-file=${keep("server.crt", identity.server.cert)}`,
    `--tls-private-key-file=${keep("server.key", identity.server.key)}`,
    `--client-ca-file=${keep("ca.crt", identity.authority)}`,
    "--service-account-issuer=https://kubernetes.default.svc",
    `--service-account-key-file=${keep("accounts.pub", signing.publicKey)}`,
    `--service-account-signing-key-file=${keep("accounts.key", signing.privateKey)}`,
    "--service-cluster-ip-range=10.96.0.0/16",
    "--authorization-mode=Node,RBAC",
    // As some distributions have it: a child that holds up the deletion of its owner takes a right on the owner.
    "--enable-admission-plugins=OwnerReferencesPermissionEnforcement",
    "--allow-privileged=true",
  ];
}

/** The first address of the range for Services, which is always that of Service kubernetes. */
const firstServiceAddress = "10.96.0.1";

/** Only pods of a real node need Service kubernetes to lead somewhere, and the API server a way to webhooks that are pods. */
const addressArguments = (address: string): string[] => [
  `--bind-address=${address}`,
  `--advertise-address=${address}`,
  address === "127.0.0.1" ? "--endpoint-reconciler-type=none" : "--enable-aggregator-routing=true",
];

/** Kubelets have an authority of their own: a certificate that is good for them opens nothing else. */
function kubeletArguments(folder: string, { authority, admin }: ServerIdentity): string[] {
  const keep = (name: string, content: string): string => {
    const path = join(folder, name);
    writeFileSync(path, content, { mode: 0o600 });
    return path;
  };
  return [
    `--kubelet-certificate-authority=${keep("kubelet-ca.crt", authority)}`,
    `--kubelet-client-certificate=${keep("kubelet-client.crt", admin.cert)}`,
    `--kubelet-client-key=${keep("kubelet-client.key", admin.key)}`,
    "--kubelet-preferred-address-types=InternalIP",
  ];
}

const controllerArguments = (folder: string, kubeconfig: string, port: number): string[] => [
  `--kubeconfig=${kubeconfig}`,
  `--secure-port=${port}`,
  "--bind-address=127.0.0.1",
  "--leader-elect=false",
  "--use-service-account-credentials=false",
  `--service-account-private-key-file=${join(folder, "accounts.key")}`,
  `--root-ca-file=${join(folder, "ca.crt")}`,
];

const schedulerArguments = (kubeconfig: string, port: number): string[] => [
  `--kubeconfig=${kubeconfig}`,
  `--secure-port=${port}`,
  "--bind-address=127.0.0.1",
  "--leader-elect=false",
];

async function untilReady(folder: string, url: string, authority: string): Promise<void> {
  const deadline = Date.now() + 240_000;
  while (!(await isReady(url, authority))) {
    if (!isRunning(folder, "kube-apiserver")) throw new Error(`kube-apiserver ended; see ${folder}/kube-apiserver.log`);
    if (Date.now() > deadline) throw new Error(`kube-apiserver is not ready after four minutes; see ${folder}`);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

function isReady(url: string, authority: string): Promise<boolean> {
  return new Promise((resolve) => {
    const request = get(`${url}/readyz`, { ca: authority, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    request.on("error", () => resolve(false));
  });
}
