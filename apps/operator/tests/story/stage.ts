import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { loadOrCreateIdentity, writeKubeconfig } from "@trivium/apiserver";
import { createClient, httpTransport } from "@trivium/client";
import {
  ClusterRole,
  ClusterRoleBinding,
  CustomResourceDefinition,
  groupResourceOf,
  isReason,
  type Kind,
  type KubeClient,
  type KubeObject,
  Namespace,
  Role,
  RoleBinding,
  ServiceAccount,
} from "@trivium/kube";
import { type FaultProxy, startFaultProxy } from "@trivium/testkit";
import { emitRbac, parseOptions } from "../../src/index.ts";
import { type OperatorProcess, sampleOperator, startOperatorProcess } from "./operator-process.ts";
import { sampleCluster } from "./sample-dialect.ts";
import type { ServerUnderTest } from "./server.ts";

export const namespace = "garden";
/** Not the name of the product, which may be installed on the cluster that the story is told on. */
const account = "garden-operator";

/** A server, a proxy before it, and operators that reach it through the proxy with no more rights than they ask for. */
export interface Stage {
  readonly server: ServerUnderTest;
  /** The person at the keyboard: past the proxy, and allowed everything. */
  readonly client: KubeClient;
  readonly proxy: FaultProxy;
  /** Grants exactly what `--print-rbac` prints for these options. */
  grant(args: readonly string[]): Promise<void>;
  /** Starts an operator that calls itself so. */
  start(identity: string, args?: readonly string[]): OperatorProcess;
  /** What operators wrote since the last call of this, without the Lease. */
  takeWrites(): string[];
  /** Resolves when nothing was written for this long. */
  rest(time: number): Promise<void>;
  /** Removes from the server what the story has put there. */
  clear(): Promise<void>;
  close(): Promise<void>;
}

export async function openStage(server: ServerUnderTest): Promise<Stage> {
  const home = await mkdtemp(join(tmpdir(), "trivium-stage-"));
  const identity = await loadOrCreateIdentity(join(home, "identity"));
  const actAs = `system:serviceaccount:${namespace}:${account}`;
  const proxy = await startFaultProxy({ upstream: server.access, identity, actAs });
  const kubeconfig = join(home, "kubeconfig");
  const credential = { is: "token", token: identity.token } as const;
  await writeKubeconfig(kubeconfig, { server: proxy.url, authority: identity.authority, credential });
  const transport = httpTransport(server.access);
  const client = createClient(transport);
  await create(client, namespace);
  const common = ["--kubeconfig", kubeconfig, "--operator-namespace", namespace, "--listen", "127.0.0.1:0"];
  return {
    server,
    client,
    proxy,
    grant: (args) => grant(client, [...common, ...args]),
    start: (name, args = []) => startOperatorProcess(sampleOperator, [...common, "--identity", name, ...args]),
    takeWrites: () =>
      proxy.writes
        .splice(0)
        .map(({ method, path }) => `${method} ${path}`)
        .filter((write) => !/\/leases(\/|$)/.test(write)),
    async rest(time) {
      const count = () => proxy.writes.filter(({ path }) => !path.includes("/leases")).length;
      for (let before = -1; before !== count(); await setTimeout(time)) before = count();
    },
    clear: () => clear(client),
    async close() {
      await proxy.close();
      await transport.close();
      await rm(home, { recursive: true });
    },
  };
}

async function create(client: KubeClient, name: string): Promise<void> {
  await client
    .create(Namespace, { apiVersion: "v1", kind: "Namespace", metadata: { name } })
    .catch((error: unknown) => {
      if (!isReason(error, "AlreadyExists")) throw error;
    });
}

async function clear(client: KubeClient): Promise<void> {
  const definitions = sampleCluster.kinds.map((kind) =>
    client.delete(CustomResourceDefinition, { name: groupResourceOf(kind) }),
  );
  const roles = [ClusterRole, ClusterRoleBinding].map((kind: Kind) => client.delete(kind, { name: account }));
  await Promise.allSettled([...definitions, ...roles, client.delete(Namespace, { name: namespace })]);
}

const grantKinds: readonly Kind[] = [ClusterRole, ClusterRoleBinding, Role, RoleBinding, ServiceAccount];

async function grant(client: KubeClient, args: readonly string[]): Promise<void> {
  const request = parseOptions(args);
  if (request.is !== "run") throw new Error("these options do not run an operator");
  const grants = JSON.stringify(emitRbac(request.options, { dialects: [sampleCluster] })).replaceAll(
    "trivium-operator",
    account,
  );
  for (const each of JSON.parse(grants) as KubeObject[]) {
    const kind = grantKinds.find(({ kind }) => kind === each.kind) as Kind;
    await client.apply(kind, each, { fieldManager: "story", force: true });
  }
}
