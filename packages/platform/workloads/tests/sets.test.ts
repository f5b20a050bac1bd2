import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type ApiError,
  ControllerRevision,
  DaemonSet,
  Deployment,
  Event,
  type Kind,
  Node,
  PersistentVolumeClaim,
  Pod,
  PodDisruptionBudget,
  StatefulSet,
} from "@trivium/kube";
import { startWorld } from "@trivium/testkit";
import { workloadReconcilers } from "../src/index.ts";
import { deployment, ref, type Stage, setImage, startStage } from "./stage.ts";

function statefulSet(spec: Partial<StatefulSet["spec"]> = {}): StatefulSet {
  const { selector, template } = deployment("web").spec;
  return {
    apiVersion: "apps/v1",
    kind: "StatefulSet",
    metadata: ref("web"),
    spec: { selector, template, serviceName: "web", ...spec },
  };
}

function daemonSet(spec: Partial<DaemonSet["spec"]> = {}): DaemonSet {
  const { selector, template } = deployment("web").spec;
  return { apiVersion: "apps/v1", kind: "DaemonSet", metadata: ref("web"), spec: { selector, template, ...spec } };
}

/** `name image ready` of each pod. */
async function pods(stage: Stage): Promise<string[]> {
  return (await stage.all(Pod)).map(({ metadata, spec, status }) => {
    const isReady = status?.conditions?.some(({ type, status: is }) => type === "Ready" && is === "True");
    return `${metadata.name} v${spec.containers[0]?.image?.split(":")[1]}${isReady ? " ready" : ""}`;
  });
}

const claims = [
  {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: { name: "data" },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
  },
] as NonNullable<StatefulSet["spec"]["volumeClaimTemplates"]>;
/** No scheduler and no binder here: pods with claims are ready although nothing is bound. */
const stages = [{ name: "all", life: { pull: "100ms", ready: "1s" } }];

test("numbered pods come one after the other, roll from the highest down, and go from the highest down", async (t) => {
  const stage = await startStage(t);
  await stage.node({}, stages);
  await stage.client.create(StatefulSet, statefulSet({ replicas: 3 }));
  await stage.settle();
  assert.deepEqual(await pods(stage), ["web-0 v1"]);
  await stage.elapse(10_000);
  assert.deepEqual(await pods(stage), ["web-0 v1 ready", "web-1 v1 ready", "web-2 v1 ready"]);
  const { status } = await stage.client.get(StatefulSet, ref("web"));
  assert.deepEqual(
    [status?.replicas, status?.currentReplicas, status?.updatedReplicas, status?.availableReplicas],
    [3, 3, 3, 3],
  );
  assert.equal(status?.currentRevision, status?.updateRevision);
  stage.writes.length = 0;
  await stage.elapse(600_000);
  assert.deepEqual(stage.writes, []);

  await stage.client.patch(StatefulSet, ref("web"), setImage("example/web:2"));
  await stage.elapse(500);
  assert.deepEqual((await pods(stage)).slice(0, 2), ["web-0 v1 ready", "web-1 v1 ready"], "one at a time");
  await stage.elapse(30_000);
  assert.deepEqual(await pods(stage), ["web-0 v2 ready", "web-1 v2 ready", "web-2 v2 ready"]);
  const revisions = await stage.all(ControllerRevision);
  assert.deepEqual(revisions.map(({ revision }) => revision).sort(), [1, 2]);
  await stage.client.patch(StatefulSet, ref("web"), { type: "merge", body: { spec: { replicas: 1 } } });
  await stage.elapse(10_000);
  assert.deepEqual(await pods(stage), ["web-0 v2 ready"]);
});

test("claims outlive scaling and the set, unless the policy says otherwise; nothing is made twice", async (t) => {
  const stage = await startStage(t);
  const names = async () => (await stage.all(PersistentVolumeClaim)).map(({ metadata }) => metadata.name);
  const scale = async (replicas: number) => {
    await stage.client.patch(StatefulSet, ref("web"), { type: "merge", body: { spec: { replicas } } });
    await stage.elapse(60_000);
  };
  const parallel = { podManagementPolicy: "Parallel", volumeClaimTemplates: claims } as const;
  await stage.client.create(StatefulSet, statefulSet({ ...parallel, replicas: 2 }));
  await stage.elapse(5_000);
  const before = (await stage.all(PersistentVolumeClaim)).map(({ metadata }) => metadata.uid);
  await scale(0);
  assert.deepEqual(await names(), ["data-web-0", "data-web-1"]);
  await stage.client.patch(StatefulSet, ref("web"), {
    type: "merge",
    body: { spec: { persistentVolumeClaimRetentionPolicy: { whenDeleted: "Delete", whenScaled: "Retain" } } },
  });
  await scale(2);
  await scale(1);
  assert.deepEqual(
    (await stage.all(PersistentVolumeClaim)).map(({ metadata }) => metadata.uid),
    before,
    "the claim of a pod scaled away waits for it",
  );
  await stage.client.delete(StatefulSet, ref("web"), { propagationPolicy: "Background" });
  await stage.elapse(60_000);
  assert.deepEqual(await names(), []);
});

test("a daemon is on every node that fits, and follows nodes that come and go", async (t) => {
  const stage = await startStage(t);
  await stage.node({ name: "node-a" });
  await stage.client.create(DaemonSet, daemonSet());
  await stage.elapse(5_000);
  const nodes = async () => (await stage.all(Pod)).map(({ spec }) => spec.nodeName).sort();
  assert.deepEqual(await nodes(), ["node-a"]);
  await stage.node({ name: "node-b" });
  await stage.elapse(5_000);
  assert.deepEqual(await nodes(), ["node-a", "node-b"]);
  const { status } = await stage.client.get(DaemonSet, ref("web"));
  assert.deepEqual(
    [status?.desiredNumberScheduled, status?.numberAvailable, status?.numberUnavailable],
    [2, 2, undefined],
  );
  await stage.client.patch(DaemonSet, ref("web"), setImage("example/web:2"));
  await stage.elapse(30_000);
  assert.deepEqual(
    (await pods(stage)).map((line) => line.split(" ").slice(1).join(" ")),
    ["v2 ready", "v2 ready"],
  );
  const taint = { key: "out", value: "", effect: "NoExecute" };
  await stage.client.patch(Node, { name: "node-b" }, { type: "merge", body: { spec: { taints: [taint] } } });
  await stage.elapse(60_000);
  assert.deepEqual(await nodes(), ["node-a"]);
  stage.writes.length = 0;
  await stage.elapse(600_000);
  assert.deepEqual(stage.writes, []);
});

test("a budget lets go of as many pods as can be missed, and no more", async (t) => {
  const stage = await startStage(t);
  await stage.node();
  const { selector } = deployment("web").spec;
  await stage.client.create(Deployment, deployment("web", { replicas: 3 }));
  await stage.client.create(PodDisruptionBudget, {
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    metadata: ref("web"),
    spec: { minAvailable: 2, selector },
  });
  await stage.elapse(5_000);
  const status = async () => (await stage.client.get(PodDisruptionBudget, ref("web"))).status;
  assert.equal((await status())?.disruptionsAllowed, 1);
  const [first, second] = (await stage.all(Pod)).map(({ metadata }) => metadata.name ?? "");
  await evict(stage, first ?? "");
  await assert.rejects(evict(stage, second ?? ""), (error: ApiError) => error.code === 429);
  await stage.settle();
  const during = await status();
  assert.deepEqual([during?.disruptionsAllowed, during?.currentHealthy, during?.disruptedPods], [0, 2, undefined]);
  await assert.rejects(evict(stage, second ?? ""), /violate the pod's disruption budget/);
  await stage.elapse(60_000);
  assert.deepEqual(
    [(await status())?.disruptionsAllowed, (await status())?.conditions?.[0]?.reason],
    [1, "SufficientPods"],
  );
});

async function evict({ client }: Stage, name: string): Promise<void> {
  const kind: Kind = { group: "", version: "v1", kind: "Eviction", plural: `pods/${name}/eviction`, namespaced: true };
  await client.create(kind, { apiVersion: "policy/v1", kind: "Eviction", metadata: ref(name) });
}

test("controllers that start anew on a world at rest write nothing and tell nothing", async (t) => {
  const stage = await startStage(t);
  await stage.node({}, stages);
  const { selector } = deployment("web").spec;
  const budget = {
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    metadata: ref("web"),
    spec: { maxUnavailable: 1, selector },
  };
  await stage.client.create(Deployment, deployment("api", { replicas: 2 }));
  await stage.client.create(StatefulSet, statefulSet({ replicas: 2 }));
  await stage.client.create(PodDisruptionBudget, budget);
  const daemon = daemonSet();
  const labels = { app: "daemon" };
  const template = { ...daemon.spec.template, metadata: { labels } };
  await stage.client.create(DaemonSet, { ...daemon, spec: { selector: { matchLabels: labels }, template } });
  await stage.elapse(20_000);
  assert.equal((await stage.all(Pod)).length, 5);
  const before = (await stage.all(Event)).length;
  await stage.stop();
  const again = await startWorld({ cluster: stage.cluster, reconcilers: workloadReconcilers });
  t.after(() => again.stop());
  await again.elapse(20_000);
  assert.deepEqual(again.writes, []);
  assert.equal((await stage.all(Event)).length, before);
});
