// A service of OME over several nodes, with the real controller and the real webhooks of LeaderWorkerSet.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { createClient, httpTransport, loadKubeconfig } from "@trivium/client";
import { EndpointSlice, isConditionTrue, type KubeClient, LeaderWorkerSet, Pod, Service } from "@trivium/kube";
import { ClusterBaseModel, ClusterServingRuntime, InferenceService } from "@trivium/ome";
import { chosenParts, parseOptions, startOperator } from "@trivium/operator";
import { silentLog } from "@trivium/runtime";
import { until } from "@trivium/testkit";
import { startStagedNodes } from "../../../bench/control-plane/staged-nodes.ts";
import { startControlPlane } from "../control-plane.ts";
import { givenKubeconfig } from "../given.ts";
import { isLeaderWorkerSetBuilt, startLeaderWorkerSet } from "./leader-worker-set.ts";

const namespace = "default";
const patience = 240_000;
const why = isLeaderWorkerSetBuilt()
  ? givenKubeconfig("with controllers") === undefined
    ? undefined
    : "a given cluster cannot reach webhooks on this machine"
  : "LeaderWorkerSet is not built on this machine; run npm run cluster:neighbours once";

test("a service over several nodes, with the controller of LeaderWorkerSet", async (t) => {
  if (why !== undefined) return t.skip(why);
  const plane = await startControlPlane();
  if (typeof plane === "string") return t.skip(plane);
  await using parts = new AsyncDisposableStack();
  parts.defer(() => plane.stop());
  const transport = httpTransport(await loadKubeconfig(plane.kubeconfig));
  parts.defer(() => transport.close());
  const client = createClient(transport);
  const folder = mkdtempSync(join(tmpdir(), "trivium-lws-"));
  parts.defer(() => rmSync(folder, { recursive: true, force: true }));
  const controller = await startLeaderWorkerSet({ client, kubeconfig: plane.kubeconfig, folder });
  parts.defer(() => controller.stop());
  const operator = await startOme(plane.kubeconfig);
  parts.defer(() => operator.stop());
  const nodes = await startStagedNodes(client);
  parts.defer(() => nodes.stop());
  await createModel(client);

  await t.test("a leader and a worker start, and the Service leads to the leader", async () => {
    await client.create(InferenceService, serviceOf(1));
    await untilServing(client, 1);
    assert.deepEqual(await roles(client), { "lws-big-engine-0": "0", "lws-big-engine-0-1": "1" });
    const { spec } = await client.get(Pod, { namespace, name: "lws-big-engine-0-1" });
    const env = new Map(spec?.containers[0]?.env?.map(({ name, value }) => [name, value]));
    assert.equal(env.get("LWS_GROUP_SIZE"), "2");
    assert.match(env.get("LWS_LEADER_ADDRESS") ?? "", /^lws-big-engine-0\./);
    assert.deepEqual(await targetsOf(client, "big"), ["lws-big-engine-0"]);
  });

  await t.test("a group whose worker is lost starts again as a whole", async () => {
    const before = (await client.get(Pod, { namespace, name: "lws-big-engine-0" })).metadata.uid;
    await client.delete(Pod, { namespace, name: "lws-big-engine-0-1" });
    const leaderUid = () =>
      client.get(Pod, { namespace, name: "lws-big-engine-0" }).then(
        ({ metadata }) => metadata.uid,
        () => undefined,
      );
    await until(async () => ![before, undefined].includes(await leaderUid()), "another leader", patience);
    await untilServing(client, 1);
  });

  await t.test("two replicas are two groups", async () => {
    const body = { spec: { engine: { minReplicas: 2, maxReplicas: 2 } } };
    await client.patch(InferenceService, { namespace, name: "big" }, { type: "merge", body });
    await until(async () => Object.keys(await roles(client)).length === 4, "four pods", patience);
    await untilServing(client, 2);
    assert.deepEqual(await targetsOf(client, "big"), ["lws-big-engine-0", "lws-big-engine-1"]);
  });

  await t.test("a deleted service leaves nothing", async () => {
    await client.delete(InferenceService, { namespace, name: "big" });
    const left = async (): Promise<number> => {
      const sets = (await client.list(LeaderWorkerSet, { namespace })).items;
      const services = (await client.list(Service, { namespace })).items.filter(
        ({ metadata }) => metadata.name !== "kubernetes",
      );
      return sets.length + services.length + Object.keys(await roles(client)).length;
    };
    await until(async () => (await left()) === 0, "all objects of the service are deleted", patience);
  });
});

function startOme(kubeconfig: string): ReturnType<typeof startOperator> {
  const args = ["--kubeconfig", kubeconfig, "--dialects", "ome", "--install-crds", "--no-leader-election"];
  const request = parseOptions([...args, "--listen", "off"]);
  if (request.is !== "run") throw new Error("these options do not run an operator");
  return startOperator(request.options, chosenParts(request.options), { env: {}, log: silentLog });
}

const head = { apiVersion: "ome.io/v1beta1" } as const;
const format = {
  modelFormat: { name: "safetensors", version: "1.0.0" },
  modelFramework: { name: "transformers", version: "4.60.0" },
  modelArchitecture: "BigForCausalLM",
};

async function createModel(client: KubeClient): Promise<void> {
  const storage = { storageUri: "hf://org/big", path: "/mnt/data/models/big" };
  await client.create(ClusterBaseModel, {
    ...head,
    kind: "ClusterBaseModel",
    metadata: { name: "big" },
    spec: { ...format, modelParameterSize: "8B", storage },
  });
  const runner = { name: "ome-container", image: "example.com/serve", ports: [{ containerPort: 8080 }] };
  await client.create(ClusterServingRuntime, {
    ...head,
    kind: "ClusterServingRuntime",
    metadata: { name: "big" },
    spec: {
      supportedModelFormats: [{ ...format, autoSelect: true, priority: 1 }],
      engineConfig: { leader: { runner }, worker: { size: 1, runner } },
    },
  });
}

const serviceOf = (replicas: number): InferenceService =>
  ({
    ...head,
    kind: "InferenceService",
    metadata: { name: "big", namespace },
    spec: { model: { name: "big" }, engine: { minReplicas: replicas, maxReplicas: replicas } },
  }) as InferenceService;

async function untilServing(client: KubeClient, groups: number): Promise<void> {
  let last = "";
  const isServing = async (): Promise<boolean> => {
    const { status } = await client.get(InferenceService, { namespace, name: "big" });
    const set = await client.get(LeaderWorkerSet, { namespace, name: "lws-big-engine" }).catch(() => undefined);
    last = JSON.stringify([status?.conditions, set?.status]);
    return isConditionTrue(status?.conditions, "Ready") && set?.status?.readyReplicas === groups;
  };
  await until(isServing, "the service is ready", patience).catch((error: unknown) => {
    throw new Error(`${(error as Error).message}: ${last}`);
  });
}

/** The index in its group of each pod that stays. */
async function roles(client: KubeClient): Promise<Record<string, string>> {
  const { items } = await client.list(Pod, { namespace });
  const entries = items.map(({ metadata }): [string, string] => [
    metadata.name ?? "",
    metadata.labels?.["leaderworkerset.sigs.k8s.io/worker-index"] ?? "",
  ]);
  return Object.fromEntries(entries.sort());
}

async function targetsOf(client: KubeClient, service: string): Promise<string[]> {
  const labelSelector = `kubernetes.io/service-name=${service}`;
  const { items } = await client.list(EndpointSlice, { namespace, labelSelector });
  return items.flatMap(({ endpoints }) => (endpoints ?? []).map(({ targetRef }) => targetRef?.name ?? "")).sort();
}
