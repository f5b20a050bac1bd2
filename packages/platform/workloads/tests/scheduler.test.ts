import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { PersistentVolumeClaim, Pod, type PodSpec, PriorityClass, StorageClass } from "@trivium/kube";
import type { NodeProfile } from "@trivium/node";
import { schedulerReconciler } from "../src/scheduler/reconciler.ts";
import { type ClusterFixture, podOf, provisioner, ref, startFixture } from "./fixture.ts";

const gpu = "nvidia.com/gpu";
const h100 = { vendor: "nvidia", product: "NVIDIA-H100-80GB-HBM3", count: 2, memoryGiB: 80, family: "hopper" } as const;
const gpus = (count: number): Partial<PodSpec> => ({
  containers: [{ name: "main", image: "example/llm", resources: { limits: { [gpu]: String(count) } } }],
});

async function fixture(
  context: TestContext,
  profiles: readonly (Partial<NodeProfile> & { name: string })[],
): Promise<ClusterFixture> {
  const started = await startFixture(context, { reconcilers: [schedulerReconciler] });
  for (const profile of profiles) await started.node(profile);
  return started;
}

async function placeOf({ client }: ClusterFixture, name: string): Promise<string | undefined> {
  return (await client.get(Pod, ref(name))).spec?.nodeName;
}

test("GPUs are never given twice, and the one that must wait says why, gets its turn, and all is calm", async (context) => {
  const here = await fixture(context, [{ name: "gpu-1", accelerators: [h100] }, { name: "plain" }]);
  const { client, settle, elapse, writes } = here;
  for (const name of ["a", "b", "c"]) await client.create(Pod, podOf(name, gpus(1)));
  await settle();
  await elapse(5_000);
  assert.deepEqual([await placeOf(here, "a"), await placeOf(here, "b")], ["gpu-1", "gpu-1"]);
  const waiting = await client.get(Pod, ref("c"));
  const { lastTransitionTime: _, ...condition } = waiting.status?.conditions?.[0] ?? { lastTransitionTime: "" };
  const message =
    "0/2 nodes are available: 2 Insufficient nvidia.com/gpu. no new claims to deallocate, preemption: 0/2 nodes are available: " +
    "1 No preemption victims found for incoming pod, 1 Preemption is not helpful for scheduling.";
  assert.deepEqual(condition, {
    type: "PodScheduled",
    status: "False",
    reason: "Unschedulable",
    message,
    observedGeneration: 1,
  });
  assert.deepEqual(await here.events(ref("c")), [`Warning FailedScheduling ${message}`]);
  assert.equal((await here.events(ref("a")))[0], "Normal Scheduled Successfully assigned default/a to gpu-1");
  writes.length = 0;
  await elapse(600_000);
  assert.deepEqual(writes, []);
  await client.delete(Pod, ref("a"));
  await settle();
  await elapse(60_000);
  assert.equal(await placeOf(here, "c"), "gpu-1");
  assert.equal((await client.get(Pod, ref("c"))).status?.phase, "Running");
});

test("a pod waits for a node, and for its gate", async (context) => {
  const here = await fixture(context, []);
  const { client, settle } = here;
  await client.create(Pod, podOf("early"));
  await client.create(Pod, podOf("gated", { schedulingGates: [{ name: "example.com/later" }] }));
  await settle();
  assert.deepEqual(await here.events(ref("early")), ["Warning FailedScheduling no nodes available to schedule pods"]);
  await here.node({ name: "late" });
  await settle();
  assert.deepEqual([await placeOf(here, "early"), await placeOf(here, "gated")], ["late", undefined]);
  await client.patch(Pod, ref("gated"), { type: "merge", body: { spec: { schedulingGates: [] } } });
  await settle();
  assert.equal(await placeOf(here, "gated"), "late");
});

test("the more important pod gets the place of the lesser one", async (context) => {
  const here = await fixture(context, [{ name: "gpu-1", accelerators: [h100] }]);
  const { client, settle, elapse } = here;
  await client.create(PriorityClass, {
    apiVersion: "scheduling.k8s.io/v1",
    kind: "PriorityClass",
    metadata: { name: "high" },
    value: 1000,
  });
  await client.create(
    Pod,
    podOf(
      "low",
      { ...gpus(2), terminationGracePeriodSeconds: 5 },
      { annotations: { "trivium.dev/stage": "stops-slowly" } },
    ),
  );
  await settle();
  await elapse(2_000);
  await client.create(Pod, podOf("boss", { ...gpus(1), priorityClassName: "high" }));
  await settle();
  const leaving = await client.get(Pod, ref("low"));
  const target = leaving.status?.conditions?.find(({ type }) => type === "DisruptionTarget");
  assert.deepEqual(
    [leaving.metadata.deletionTimestamp !== undefined, target?.reason, target?.message],
    [true, "PreemptionByScheduler", "default-scheduler: preempting to accommodate a higher priority pod"],
  );
  const waiting = await client.get(Pod, ref("boss"));
  assert.equal(waiting.status?.nominatedNodeName, "gpu-1");
  assert.ok(
    (await here.events(ref("low"))).includes(`Normal Preempted Preempted by pod ${waiting.metadata.uid} on node gpu-1`),
  );
  await elapse(60_000);
  assert.equal(await placeOf(here, "boss"), "gpu-1");
  const [failed, scheduled] = await here.events(ref("boss"));
  assert.equal(failed, "Warning FailedScheduling 0/1 nodes are available: 1 Insufficient nvidia.com/gpu.");
  assert.equal(scheduled, "Normal Scheduled Successfully assigned default/boss to gpu-1");
});

test("a claim that waits for its first pod gets its volume where the pod goes", async (context) => {
  const here = await fixture(context, [{ name: "a" }, { name: "b" }]);
  const { client, settle, elapse } = here;
  await client.create(StorageClass, {
    apiVersion: "storage.k8s.io/v1",
    kind: "StorageClass",
    metadata: { name: "later" },
    provisioner,
    volumeBindingMode: "WaitForFirstConsumer",
  });
  const claim: PersistentVolumeClaim = {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: { name: "weights", namespace: "default" },
    spec: { accessModes: ["ReadWriteOnce"], storageClassName: "later", resources: { requests: { storage: "1Gi" } } },
  };
  const volumes = [{ name: "weights", persistentVolumeClaim: { claimName: "weights" } }];
  await client.create(Pod, podOf("p", { volumes, nodeSelector: { "kubernetes.io/hostname": "b" } }));
  await settle();
  assert.deepEqual(await here.events(ref("p")), [
    'Warning FailedScheduling 0/2 nodes are available: persistentvolumeclaim "weights" not found. not found',
  ]);
  await client.create(PersistentVolumeClaim, claim);
  await settle();
  await elapse(10_000);
  const { metadata, status } = await client.get(PersistentVolumeClaim, ref("weights"));
  assert.deepEqual([metadata.annotations?.["volume.kubernetes.io/selected-node"], status?.phase], ["b", "Bound"]);
  assert.equal(await placeOf(here, "p"), "b");
});
