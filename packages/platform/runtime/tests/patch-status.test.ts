import assert from "node:assert/strict";
import { test } from "node:test";
import { Event, Namespace, Pod } from "@trivium/kube";
import type { Patch, Reconciler } from "@trivium/reconcile";
import { ClusterPalette, Palette, Sample, sample, startCluster, startWorld } from "@trivium/testkit";

const ref = { namespace: "default", name: "p" };

/** Decides for all pods on the key of one namespace. */
function decider(
  patches: (pods: readonly Pod[]) => Patch[],
  observed: string[] = [],
): Reconciler<Namespace, readonly Pod[]> {
  return {
    name: "garden.decider",
    kind: Namespace,
    only: { name: "kube-system" },
    reads: [],
    writes: [Pod],
    observe: (_, reader) => reader.list(Pod, {}),
    decide: (namespace, pods) => {
      observed.push(namespace.metadata.name ?? "");
      return { do: "converge", children: [], patches: patches(pods), status: namespace.status ?? {} };
    },
  };
}

async function start(reconciler: Reconciler<Namespace, readonly Pod[]>) {
  const cluster = await startCluster();
  const world = await startWorld({ cluster, reconcilers: [reconciler] });
  await world.client.create(Pod, {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "p", namespace: "default" },
    spec: { containers: [{ name: "c", image: "x" }] },
  });
  await world.settle();
  return world;
}

test("a singleton decides for the one object only, and is woken by all it read", async () => {
  const observed: string[] = [];
  const world = await start(decider(() => [], observed));
  assert.deepEqual(new Set(observed), new Set(["kube-system"]));
  const before = observed.length;
  await world.client.patch(Pod, ref, { type: "merge", body: { metadata: { labels: { a: "b" } } } });
  await world.settle();
  assert.ok(observed.length > before);
  await world.stop();
});

test("conditions and fields of another's status are written once, beside what others wrote, and told of that object", async () => {
  const condition = { type: "PodScheduled", status: "False", reason: "Unschedulable", message: "no room" };
  const events = { type: "Warning", reason: "FailedScheduling", message: "no room" } as const;
  const patch: Patch = {
    patch: "status",
    kind: Pod,
    ref,
    status: { conditions: [condition], nominatedNodeName: "n" },
    events,
  };
  const world = await start(decider((pods) => (pods.length === 0 ? [] : [patch])));
  const { client, settle, writes } = world;
  const mine = { type: "Mine", status: "True", lastTransitionTime: "2026-01-01T00:00:00Z" };
  await client.patch(
    Pod,
    ref,
    { type: "strategic", body: { status: { conditions: [mine] } } },
    { subresource: "status" },
  );
  await settle();
  const { status } = await client.get(Pod, ref);
  assert.deepEqual(status?.conditions?.map(({ type, reason }) => `${type} ${reason}`).sort(), [
    "Mine undefined",
    "PodScheduled Unschedulable",
  ]);
  assert.equal(status?.nominatedNodeName, "n");
  assert.deepEqual(writes.filter((write) => write === "patch Pod").length, 1);
  const { items } = await client.list(Event, { namespace: "default" });
  assert.deepEqual(
    items.map(({ involvedObject, reason, count }) => [involvedObject.kind, involvedObject.name, reason, count]),
    [["Pod", "p", "FailedScheduling", 1]],
  );
  await world.stop();
});

test("only the object that was meant is deleted", async () => {
  const deletions = (uidOf: (pod: Pod) => string) =>
    decider((pods) => pods.map((pod): Patch => ({ patch: "delete", kind: Pod, ref, uid: uidOf(pod) })));
  const wrong = await start(deletions(() => "another"));
  assert.equal((await wrong.client.get(Pod, ref)).metadata.deletionTimestamp, undefined);
  await wrong.stop();
  const right = await start(deletions(({ metadata }) => metadata.uid ?? ""));
  await assert.rejects(right.client.get(Pod, ref), /not found/);
  await right.stop();
});

test("the status of a custom kind is patched too: fields, and conditions beside those of others", async () => {
  const mine = { type: "Mine", status: "True", reason: "Queued", message: "First in the queue" };
  const cluster = await startCluster([Sample, Palette, ClusterPalette]);
  const reconciler: Reconciler<Namespace, readonly Sample[]> = {
    name: "garden.queue",
    kind: Namespace,
    only: { name: "kube-system" },
    reads: [Sample],
    writes: [],
    observe: (_, reader) => reader.list(Sample, {}),
    decide: ({ status }, samples) => {
      const patches = samples.map(({ metadata }): Patch => {
        const ref = { namespace: metadata.namespace, name: metadata.name ?? "" };
        return { patch: "status", kind: Sample, ref, status: { conditions: [mine] } };
      });
      return { do: "converge", children: [], patches, status: status ?? {} };
    },
  };
  const world = await startWorld({ cluster, reconcilers: [reconciler] });
  const { client } = world;
  await client.create(Sample, sample("a"));
  const at = { namespace: "default", name: "a" };
  const other = {
    type: "Ready",
    status: "True",
    reason: "R",
    message: "m",
    lastTransitionTime: "2026-01-01T00:00:00Z",
  };
  const body = { status: { conditions: [other] } };
  await client.patch(Sample, at, { type: "merge", body }, { subresource: "status" });
  await world.settle();
  const { status } = await client.get(Sample, at);
  assert.deepEqual(status?.conditions?.map(({ type }) => type).sort(), ["Mine", "Ready"]);
  await world.stop();
});
