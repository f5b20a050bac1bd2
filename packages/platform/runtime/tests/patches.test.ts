import assert from "node:assert/strict";
import { test } from "node:test";
import {
  ApiError,
  ConfigMap,
  Event,
  type Kind,
  type KubeClient,
  type KubeObject,
  Pod,
  PodDisruptionBudget,
  ReplicaSet,
  Secret,
} from "@trivium/kube";
import type { Decision, Reconciler } from "@trivium/reconcile";
import { Sample, sample } from "./sample.ts";
import { ref, sampleCluster } from "./sample-cluster.ts";

type Request = Omit<Extract<Decision<object>, { do: "converge" }>, "do" | "status">;

/** A reconciler that says what its sample's palette names. */
function teller(requests: Record<string, (owner: Sample) => Request>): Reconciler<Sample, null> {
  return {
    name: "garden.teller",
    kind: Sample,
    reads: [],
    writes: [ConfigMap, ReplicaSet, Secret, Pod, Sample],
    controls: [ConfigMap],
    observe: () => null,
    decide: (object) => ({ do: "converge", status: {}, children: [], ...requests[object.spec.palette]?.(object) }),
  };
}

const configMap = (name: string, metadata: Partial<ConfigMap["metadata"]> = {}): ConfigMap => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { ...ref(name), ...metadata },
  data: { by: "hand" },
});
const keep = (name: string, uid?: string) =>
  ({ kind: ConfigMap, object: configMap(name, uid === undefined ? {} : { uid }), keep: true }) as const;
const say = (palette: string) => ({ type: "merge", body: { spec: { palette } } }) as const;
const ownersOf = ({ metadata }: KubeObject) => metadata.ownerReferences?.map(({ name }) => name) ?? [];

test("what is kept is taken in when nobody controls it, is not made, not changed, and pruned when it is no longer wanted", async () => {
  let uid: string | undefined;
  const requests = {
    keep: () => ({ children: [keep("orphan", uid), keep("nowhere"), keep("foreign"), keep("namesake")] }),
    drop: () => ({ children: [] }),
  };
  const { client, settle, writes } = await sampleCluster({ reconcilers: [teller(requests)] });
  uid = (await client.create(ConfigMap, configMap("orphan"))).metadata.uid;
  await client.create(ConfigMap, configMap("namesake"));
  const other = {
    apiVersion: "v1",
    kind: "Other",
    name: "other",
    uid: "11111111-0000-4000-8000-000000000000",
    controller: true,
  };
  await client.create(ConfigMap, configMap("foreign", { ownerReferences: [other], finalizers: ["example.com/stay"] }));
  await client.create(Sample, sample("a", { palette: "keep" }));
  await settle();
  assert.deepEqual(writes.splice(0), ["patch ConfigMap"]);
  const orphan = await client.get(ConfigMap, ref("orphan"));
  assert.deepEqual([ownersOf(orphan), orphan.data], [["a"], { by: "hand" }]);
  assert.deepEqual(ownersOf(await client.get(ConfigMap, ref("foreign"))), ["other"]);
  assert.deepEqual(ownersOf(await client.get(ConfigMap, ref("namesake"))), [], "a name alone is no claim");
  await assert.rejects(client.get(ConfigMap, ref("nowhere")), /not found/);
  await client.patch(ConfigMap, ref("orphan"), { type: "merge", body: { data: { by: "another hand" } } });
  await settle();
  assert.deepEqual(writes, []);
  await client.patch(Sample, ref("a"), say("drop"));
  await settle();
  await assert.rejects(client.get(ConfigMap, ref("orphan")), /not found/);
  assert.deepEqual(ownersOf(await client.get(ConfigMap, ref("foreign"))), ["other"]);
});

test("an object of a custom kind is taken in and let go as well, with its other owners", async () => {
  let kept = sample("b", {});
  const requests = {
    keep: (): Request => ({ children: [{ kind: Sample as Kind, object: kept, keep: true }] }),
    let: (owner: Sample): Request => ({
      children: [],
      patches: [{ patch: "owners", kind: Sample, ref: { name: "b" }, remove: [owner.metadata.uid ?? ""] }],
    }),
  };
  const { client, settle } = await sampleCluster({ reconcilers: [teller(requests)] });
  const other = { apiVersion: "v1", kind: "Other", name: "other", uid: "11111111-0000-4000-8000-000000000000" };
  const orphan = sample("b", {});
  kept = await client.create(Sample, { ...orphan, metadata: { ...orphan.metadata, ownerReferences: [other] } });
  await client.create(Sample, sample("a", { palette: "keep" }));
  await settle();
  assert.deepEqual(ownersOf(await client.get(Sample, ref("b"))).sort(), ["a", "other"]);
  await client.patch(Sample, ref("a"), say("let"));
  await settle();
  assert.deepEqual(ownersOf(await client.get(Sample, ref("b"))), ["other"]);
});

test("what is let go stays, without its owner, and is not pruned", async () => {
  const letGo = (owner: Sample): Request => ({
    children: [],
    patches: [{ patch: "owners", kind: ConfigMap, ref: { name: "orphan" }, remove: [owner.metadata.uid ?? ""] }],
  });
  let uid: string | undefined;
  const { client, settle, writes } = await sampleCluster({
    reconcilers: [teller({ keep: () => ({ children: [keep("orphan", uid)] }), letGo })],
  });
  uid = (await client.create(ConfigMap, configMap("orphan"))).metadata.uid;
  await client.create(Sample, sample("a", { palette: "keep" }));
  await settle();
  writes.length = 0;
  await client.patch(Sample, ref("a"), say("letGo"));
  await settle();
  assert.deepEqual(writes, ["patch ConfigMap"]);
  assert.deepEqual(ownersOf(await client.get(ConfigMap, ref("orphan"))), []);
});

test("fields of another's object are applied, taken back, and leave the rest and the children of the same kind alone", async () => {
  const annotate = (annotations: Record<string, string>) => (): Request => ({
    children: [{ kind: ConfigMap, object: { ...configMap("child"), data: { kept: "yes" } } as ConfigMap }],
    patches: [
      {
        patch: "fields",
        kind: Sample,
        object: { ...sample("a"), spec: undefined, metadata: { name: "a", annotations } } as KubeObject,
      },
      {
        patch: "fields",
        kind: ConfigMap,
        object: { ...configMap("child"), data: undefined, metadata: { name: "child", annotations } } as KubeObject,
      },
    ],
  });
  const requests = { two: annotate({ one: "1", two: "2" }), one: annotate({ one: "1" }) };
  const { client, settle, elapse, writes } = await sampleCluster({ reconcilers: [teller(requests)] });
  await client.create(Sample, {
    ...sample("a", { palette: "two" }),
    metadata: { ...ref("a"), annotations: { mine: "0" } },
  });
  await settle();
  assert.deepEqual((await client.get(Sample, ref("a"))).metadata.annotations, { mine: "0", one: "1", two: "2" });
  writes.length = 0;
  await elapse(600_000);
  assert.deepEqual(writes, []);
  await client.patch(Sample, ref("a"), say("one"));
  await settle();
  assert.deepEqual((await client.get(Sample, ref("a"))).metadata.annotations, { mine: "0", one: "1" });
  const child = await client.get(ConfigMap, ref("child"));
  assert.deepEqual([child.metadata.annotations, child.data], [{ one: "1" }, { kept: "yes" }]);
  await client.patch(Sample, ref("a"), { type: "merge", body: { metadata: { annotations: { one: "x" } } } });
  await settle();
  assert.deepEqual(
    (await client.get(Sample, ref("a"))).metadata.annotations,
    { mine: "0", one: "1" },
    "what is ours is put right",
  );
});

test("a scale is wished for once, and a pod is bound", async () => {
  const act = (): Request => ({
    children: [],
    patches: [
      { patch: "scale", kind: ReplicaSet, ref: { name: "set" }, replicas: 3 },
      { patch: "bind", ref: { name: "pod" }, node: "node-a" },
    ],
  });
  const { client, settle, writes } = await sampleCluster({ reconcilers: [teller({ act })] });
  const labels = { app: "x" };
  const spec = { containers: [{ name: "main", image: "example/app" }] };
  await client.create(ReplicaSet, {
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    metadata: ref("set"),
    spec: { replicas: 1, selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
  });
  await client.create(Pod, { apiVersion: "v1", kind: "Pod", metadata: ref("pod"), spec });
  await client.create(Sample, sample("a", { palette: "act" }));
  await settle();
  assert.deepEqual(writes, ["patch ReplicaSet", "create Binding"]);
  assert.equal((await client.get(ReplicaSet, ref("set"))).spec?.replicas, 3);
  assert.equal((await client.get(Pod, ref("pod"))).spec?.nodeName, "node-a");
});

test("a pod is evicted if it is still the one that was meant, and a budget that forbids it is told", async () => {
  const requests: Record<string, (owner: Sample) => Request> = {
    act: () => ({ children: [child], patches: [{ patch: "evict", ref: { name: "pod" }, ...meant, evicted, refused }] }),
  };
  const child = { kind: ConfigMap, object: configMap("child") };
  const evicted = { type: "Normal", reason: "Evicted", message: "Pod pod is evicted" } as const;
  const refused = { type: "Warning", reason: "StillNeeded", message: "Pod pod stays" } as const;
  const meant = { uid: "another" };
  const { client, settle, writes } = await sampleCluster({ reconcilers: [teller(requests)] });
  const spec = { containers: [{ name: "main", image: "example/app" }], nodeName: "node-a" };
  const labels = { app: "x" };
  const pod = await client.create(Pod, { apiVersion: "v1", kind: "Pod", metadata: { ...ref("pod"), labels }, spec });
  await client.patch(
    Pod,
    ref("pod"),
    { type: "merge", body: { status: { phase: "Running" } } },
    { subresource: "status" },
  );
  await client.create(Sample, sample("a", { palette: "act" }));
  await settle();
  assert.ok(!writes.includes("create Eviction"), "one of another uid is not the one that was meant");
  await client.create(PodDisruptionBudget, {
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    metadata: ref("budget"),
    spec: { minAvailable: 1, selector: { matchLabels: labels } },
  });
  meant.uid = pod.metadata.uid ?? "";
  await client.patch(Sample, ref("a"), { type: "merge", body: { metadata: { labels: { round: "2" } } } });
  await settle();
  const events = (await client.list(Event)).items.filter(({ reason }) => reason === "StillNeeded");
  assert.match(events[0]?.message ?? "", /^Pod pod stays: Cannot evict pod as it would violate/);
  assert.equal((await client.get(Pod, ref("pod"))).metadata.deletionTimestamp, undefined);
  await client.delete(PodDisruptionBudget, ref("budget"));
  await client.patch(Sample, ref("a"), { type: "merge", body: { metadata: { labels: { round: "3" } } } });
  await settle();
  assert.ok((await client.get(Pod, ref("pod"))).metadata.deletionTimestamp);
  assert.ok(writes.includes("create Eviction"));
  const reported = (await client.list(Event)).items.filter(({ reason }) => reason === "Evicted");
  const about = reported.map(({ involvedObject }) => `${involvedObject.kind} ${involvedObject.name}`);
  assert.deepEqual(about, ["Sample a"]);
});

test("what is made is told when it was made; what is refused, in the words of the server; never the one for the other", async () => {
  let isFull = true;
  const full = new ApiError({
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message: "exceeded quota",
    reason: "Forbidden",
    code: 403,
  });
  const between = (inner: KubeClient): KubeClient => ({
    ...inner,
    apply: (kind, object, options) =>
      isFull && object.metadata.name === "new" ? Promise.reject(full) : inner.apply(kind, object, options),
  });
  const made = { type: "Normal", reason: "Made", message: "Made it" } as const;
  const failed = { type: "Warning", reason: "NotMade", message: "Error making: " } as const;
  const make = (): Request => ({
    children: [
      { kind: ConfigMap, object: configMap("fine") },
      { kind: ConfigMap, object: configMap("new"), createOnly: true, events: { made, failed } },
    ],
  });
  const { client, settle, elapse } = await sampleCluster({ reconcilers: [teller({ make })], between });
  const reported = async () =>
    (await client.list(Event, {})).items.map(({ reason, message }) => `${reason} ${message}`);
  await client.create(Sample, sample("a", { palette: "make" }));
  await settle();
  assert.deepEqual(await reported(), ["NotMade Error making: exceeded quota"]);
  isFull = false;
  await elapse(60_000);
  assert.deepEqual((await reported()).sort(), ["Made Made it", "NotMade Error making: exceeded quota"]);
});

test("a status that is owned as a whole loses what others put into it, and is not written over what was not seen", async () => {
  const owning: Reconciler<Sample, null> = {
    ...teller({}),
    ownsStatus: true,
    decide: ({ spec }) => ({ do: "hold", status: { flowers: spec.flowers } }),
  };
  const { client, settle, writes } = await sampleCluster({ reconcilers: [owning] });
  await client.create(Sample, sample("a", { flowers: 3 }));
  await settle();
  assert.deepEqual((await client.get(Sample, ref("a"))).status, { flowers: 3 });
  await client.patch(Sample, ref("a"), { type: "merge", body: { status: { price: 9 } } }, { subresource: "status" });
  await settle();
  assert.deepEqual((await client.get(Sample, ref("a"))).status, { flowers: 3 });
  assert.deepEqual(writes, ["patch Sample", "patch Sample"]);
});
