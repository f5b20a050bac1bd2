import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { writeKubeconfig } from "@trivium/apiserver";
import { createClient, httpTransport, loadKubeconfig } from "@trivium/client";
import { type CustomResourceDefinition, emitCrd, isReason, type KubeClient, Namespace } from "@trivium/kube";
import type { Dialect } from "@trivium/reconcile";
import { systemClock } from "@trivium/runtime";
import { ClusterFixture } from "@trivium/testkit";
import { type OperatorProcess, startOperatorProcess } from "../../../apps/operator/tests/story/operator-process.ts";
import type { ControlPlane } from "../control-plane.ts";
import { installDefinitions } from "../install-definitions.ts";
import { openOperatorToken } from "../rights/operator-account.ts";
import { thirdPartyApiDefinitions } from "../third-party/definitions.ts";
import { type UpstreamWorld, WorldWriter } from "./world.ts";

/** A cluster with the world of one upstream operator. */
export interface TakeOverStage {
  readonly client: KubeClient;
  readonly writer: WorldWriter;
  /** Starts our operator with the rights of its chart. */
  start(args?: readonly string[]): OperatorProcess;
  close(): Promise<void>;
}

const program = new URL("./operator.ts", import.meta.url).pathname;

/** With nodes that are staged, unless the cluster has a real one. */
export async function openStage(
  { kubeconfig, node }: Pick<ControlPlane, "kubeconfig"> & { readonly node?: "real" },
  world: UpstreamWorld,
  dialect: Dialect,
): Promise<TakeOverStage> {
  const home = await mkdtemp(join(tmpdir(), "trivium-take-over-"));
  const access = await loadKubeconfig(kubeconfig);
  const transport = httpTransport(access);
  const client = createClient(transport);
  await installDefinitions(client, [...dialect.kinds.map((kind) => emitCrd(kind)), ...definitionsOf(world)]);
  for (const name of world.namespaces) await ensureNamespace(client, name);
  const token = await openOperatorToken(kubeconfig, dialect);
  const own = join(home, "kubeconfig");
  const credential = { is: "token", token } as const;
  await writeKubeconfig(own, { server: access.server, authority: String(access.ca), credential });
  const fixture = node === "real" ? undefined : await stageNodes(client, world);
  const fixed = ["--kubeconfig", own, "--operator-namespace", "trivium-system", "--listen", "127.0.0.1:0"];
  return {
    client,
    writer: await WorldWriter.open(client, world),
    start: (args = []) =>
      startOperatorProcess(program, [...fixed, "--lease-name", `take-over-${world.dialect}`, ...args], {
        ...process.env,
        TAKE_OVER_WORLD: world.dialect,
      }),
    async close() {
      await fixture?.close();
      await transport.close();
      await rm(home, { recursive: true, force: true });
    },
  };
}

async function stageNodes(client: KubeClient, { nodes, stages = [] }: UpstreamWorld): Promise<ClusterFixture> {
  const fixture = await ClusterFixture.open({ client, clock: systemClock, stages });
  for (const node of nodes) await fixture.join(node);
  return fixture;
}

/** Of the APIs of others those that the world has objects of. */
function definitionsOf({ upstream }: UpstreamWorld): readonly CustomResourceDefinition[] {
  const groups = upstream.flatMap((write) => ("object" in write ? (write.object.apiVersion.split("/")[0] ?? "") : []));
  const wanted = new Set(groups.filter((group) => group.includes(".")));
  return wanted.size === 0 ? [] : thirdPartyApiDefinitions(() => {}).filter(({ spec }) => wanted.has(spec.group));
}

async function ensureNamespace(client: KubeClient, name: string): Promise<void> {
  await client
    .create(Namespace, { apiVersion: "v1", kind: "Namespace", metadata: { name } })
    .catch((error: unknown) => {
      if (!isReason(error, "AlreadyExists")) throw error;
    });
}
