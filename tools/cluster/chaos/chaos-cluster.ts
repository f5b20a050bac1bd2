import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { loadOrCreateIdentity, writeKubeconfig } from "@trivium/apiserver";
import { createClient, httpTransport, loadKubeconfig } from "@trivium/client";
import { type KubeClient, type KubeObject, Namespace } from "@trivium/kube";
import { chosenParts, emitRbac, parseOptions } from "@trivium/operator";
import { startFaultProxy } from "@trivium/testkit";
import { bareNamespace, fleets, namespace } from "../../../bench/control-plane/fleets.ts";
import { startStagedNodes } from "../../../bench/control-plane/staged-nodes.ts";
import { allDefinitions } from "../../../bench/support/definitions.ts";
import { NoCluster } from "../build.ts";
import { type Cluster, startCluster, stopCluster } from "../cluster.ts";
import { loadImages, thisCheckout } from "../e2e/installed.ts";
import { installDefinitions } from "../install-definitions.ts";
import { readRecord } from "../node/node.ts";
import { applyGrants } from "../rights/apply-grants.ts";
import type { Targets } from "./faults.ts";
import { Operators } from "./operators.ts";
import { reserveRealNode } from "./real-service.ts";

const home = "trivium-system";
const account = `system:serviceaccount:${home}:trivium-operator`;

/** A control plane, staged nodes, and operators that reach it through a proxy with exactly the rights that they print. */
export interface ChaosCluster extends Omit<Targets, "print"> {
  /** The user: past the proxy, and allowed everything. */
  readonly client: KubeClient;
  /** Where the images of the real node come from; undefined where only staged nodes were requested. */
  readonly registry: string | undefined;
}

const registry = "trivium.test/now";
const hasRealNode = process.env.CHAOS_NODE === "real";

/** Starts everything except the operators; undefined, and the test skipped, where this machine cannot have a cluster. */
export async function openChaosCluster(t: TestContext, parts: AsyncDisposableStack): Promise<ChaosCluster | undefined> {
  const folder = mkdtempSync(join(tmpdir(), "trivium-chaos-"));
  parts.defer(async () => {
    await stopCluster(folder);
    rmSync(folder, { recursive: true, force: true });
  });
  const started = await start(t, folder);
  if (started === undefined) return undefined;
  const access = await loadKubeconfig(started.kubeconfig);
  const transport = httpTransport(access);
  parts.defer(() => transport.close());
  const client = createClient(transport);
  if (hasRealNode) {
    await reserveRealNode(client);
    loadImages({ checkout: thisCheckout, registry, folder });
  }
  await prepare(client);
  // The address that the real node gave the machine is used by nothing else.
  const nodes = await startStagedNodes(client, hasRealNode ? readRecord(folder).network.host : undefined);
  parts.defer(() => nodes.stop());
  const identity = await loadOrCreateIdentity(join(folder, "proxy"));
  const proxy = await startFaultProxy({ upstream: access, identity, actAs: account });
  parts.defer(() => proxy.close());
  const kubeconfig = join(folder, "operator");
  const credential = { is: "token", token: identity.token } as const;
  await writeKubeconfig(kubeconfig, { server: proxy.url, authority: identity.authority, credential });
  const operators = new Operators(client, ["--kubeconfig", kubeconfig, "--operator-namespace", home]);
  parts.defer(() => operators.stop());
  return {
    folder,
    access,
    client,
    proxy,
    operators,
    nodes,
    namespace: home,
    registry: hasRealNode ? registry : undefined,
  };
}

/** Nodes vanish when the test deletes them. On a busy machine their heartbeats are late, which must not evict every pod once more. */
const controllerManagerArguments = ["--node-monitor-grace-period=15m"];

const start = (t: TestContext, folder: string): Promise<Cluster | undefined> =>
  startCluster({
    folder,
    controllers: true,
    node: hasRealNode,
    controllerManagerArguments,
    print: (line) => t.diagnostic(line),
  }).catch((error: unknown) => {
    if (!(error instanceof NoCluster)) throw error;
    t.skip(error.message);
    return undefined;
  });

async function prepare(client: KubeClient): Promise<void> {
  for (const name of [home, namespace, bareNamespace, "ome"])
    await client.create(Namespace, { apiVersion: "v1", kind: "Namespace", metadata: { name } });
  await installDefinitions(client, await allDefinitions());
  for (const fleet of Object.values(fleets)) await fleet.prepare(client, "staged");
  await applyGrants(client, printedGrants());
}

/** What `--print-rbac` prints. */
function printedGrants(): KubeObject[] {
  const request = parseOptions(["--operator-namespace", home]);
  if (request.is !== "run") throw new Error("these options do not run an operator");
  return emitRbac(request.options, chosenParts(request.options)) as unknown as KubeObject[];
}
