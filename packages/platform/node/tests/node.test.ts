import assert from "node:assert/strict";
import { test } from "node:test";
import { isReason, Lease, Node, PersistentVolume, PersistentVolumeClaim, Pod, StorageClass } from "@trivium/kube";
import { turns } from "@trivium/testkit";
import { provisioner, startStage } from "./stage.ts";

const mi300 = { vendor: "amd", product: "AMD_Instinct_MI300X", count: 8, memoryGiB: 192, deviceId: "74a1" } as const;

test("a node registers with labels, resources and conditions, keeps its lease, and leaves nothing behind", async (t) => {
  const stage = await startStage(t);
  const agent = await stage.agent(
    { accelerators: [mi300], taints: [{ key: "gpu", effect: "NoSchedule" }] },
    { kubeletPort: 10_250 },
  );
  const node = await stage.client.get(Node, { name: "node-a" });
  const { labels = {} } = node.metadata;
  assert.deepEqual(
    ["amd.com/gpu.device-id", "amd.com/gpu.vram", "beta.amd.com/gpu.device-id.74a1", "kubernetes.io/hostname"].map(
      (key) => labels[key],
    ),
    ["74a1", "192G", "8", "node-a"],
  );
  assert.equal(node.status?.allocatable?.["amd.com/gpu"], "8");
  assert.equal(node.status?.daemonEndpoints?.kubeletEndpoint?.Port, 10_250);
  assert.deepEqual(
    node.status?.conditions?.map(({ type, status }) => `${type}=${status}`),
    ["MemoryPressure=False", "DiskPressure=False", "PIDPressure=False", "Ready=True"],
  );
  const renewed = async () =>
    (await stage.client.get(Lease, { namespace: "kube-node-lease", name: "node-a" })).spec?.renewTime;
  await turns(20);
  const first = await renewed();
  await stage.elapse(10_500);
  assert.notEqual(await renewed(), first);
  await stage.elapse(300_000);
  const { conditions } = (await stage.client.get(Node, { name: "node-a" })).status ?? {};
  const ready = conditions?.find(({ type }) => type === "Ready");
  assert.deepEqual(
    [ready?.lastTransitionTime, ready?.lastHeartbeatTime],
    ["2026-01-01T00:00:00Z", "2026-01-01T00:05:00Z"],
  );
  await agent.leave();
  const isGone = (error: unknown) => isReason(error, "NotFound");
  await assert.rejects(stage.client.get(Node, { name: "node-a" }), isGone);
  await assert.rejects(renewed(), isGone);
  assert.equal(stage.clock.untilNext(), undefined, "no timer is left");
});

test("a node that comes back keeps what others wrote on it", async (t) => {
  const stage = await startStage(t);
  const first = await stage.agent();
  const body = { metadata: { labels: { zone: "b" } }, spec: { unschedulable: true } };
  await stage.client.patch(Node, { name: "node-a" }, { type: "merge", body });
  await first.stop();
  await stage.agent({ labels: { rack: "7" } });
  const { metadata, spec } = await stage.client.get(Node, { name: "node-a" });
  assert.deepEqual([metadata.labels?.zone, metadata.labels?.rack, spec?.unschedulable], ["b", "7", true]);
});

test("claims are bound at once or with their first pod, the pod waits for them, and volumes go with their claims", async (t) => {
  const stage = await startStage(t);
  for (const [name, volumeBindingMode] of [
    ["now", "Immediate"],
    ["later", "WaitForFirstConsumer"],
  ] as const) {
    const head = { apiVersion: "storage.k8s.io/v1", kind: "StorageClass", metadata: { name } };
    await stage.client.create(StorageClass, { ...head, provisioner, volumeBindingMode });
  }
  const binder = await stage.binder();
  await stage.agent({}, { claims: binder });
  const claim = (name: string, storageClassName: string) =>
    stage.client.create(PersistentVolumeClaim, {
      apiVersion: "v1",
      kind: "PersistentVolumeClaim",
      metadata: { name, namespace: "default" },
      spec: { storageClassName, accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "3Gi" } } },
    });
  const phase = async (name: string) =>
    (await stage.client.get(PersistentVolumeClaim, { namespace: "default", name })).status?.phase;
  const volumes = [{ name: "disk", persistentVolumeClaim: { claimName: "second" } }];
  await stage.create("user", { volumes });
  await stage.elapse(2_000);
  assert.equal((await stage.get("user"))?.status?.phase, "Pending", "its claim is not there yet");
  await claim("first", "now");
  await claim("other", "later");
  await claim("second", "later");
  await stage.elapse(2_000);
  assert.deepEqual([await phase("first"), await phase("other"), await phase("second")], ["Bound", "Pending", "Bound"]);
  assert.equal((await stage.get("user"))?.status?.phase, "Running");
  const bound = await stage.client.get(PersistentVolumeClaim, { namespace: "default", name: "second" });
  const volume = await stage.client.get(PersistentVolume, { name: bound.spec?.volumeName ?? "" });
  assert.deepEqual(
    [bound.status?.capacity, volume.status?.phase, volume.spec?.claimRef?.uid, volume.spec?.storageClassName],
    [{ storage: "3Gi" }, "Bound", bound.metadata.uid, "later"],
  );
  assert.match(JSON.stringify(volume.spec?.nodeAffinity), /node-a/);
  await stage.client.delete(PersistentVolumeClaim, { namespace: "default", name: "first" });
  await stage.elapse(100);
  const left = (await stage.client.list(PersistentVolume)).items.filter(
    ({ metadata }) => metadata.deletionTimestamp === undefined,
  );
  assert.deepEqual(
    left.map(({ metadata }) => metadata.name),
    [volume.metadata.name],
  );
  assert.deepEqual(stage.failures, []);
});

test("five nodes carry three hundred pods, and forget them all", async (t) => {
  const stage = await startStage(t);
  const names = ["n1", "n2", "n3", "n4", "n5"];
  // Thousands of timers: a short rest after each is enough.
  const quickly = async (millis: number) => {
    await stage.clock.advance(millis, () => turns(2));
    await stage.elapse(0);
  };
  const agents = await Promise.all(names.map((name) => stage.agent({ name }, { events: "none" })));
  for (let i = 0; i < 300; i += 1) await stage.create(`p-${i}`, { nodeName: names[i % 5] as string });
  await quickly(1_000);
  const { items } = await stage.client.list(Pod, { namespace: "default" });
  assert.equal(items.filter(({ status }) => status?.containerStatuses?.[0]?.ready).length, 300);
  assert.deepEqual(
    agents.map(({ size }) => size),
    [60, 60, 60, 60, 60],
  );
  await Promise.all(
    items.map(({ metadata }) => stage.client.delete(Pod, { namespace: "default", name: metadata.name ?? "" })),
  );
  await quickly(1_000);
  assert.equal((await stage.client.list(Pod, { namespace: "default" })).items.length, 0);
  assert.deepEqual(
    agents.map(({ size }) => size),
    [0, 0, 0, 0, 0],
  );
  assert.deepEqual(stage.failures, []);
});
