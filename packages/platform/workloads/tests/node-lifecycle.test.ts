import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { isReason, Node, Pod } from "@trivium/kube";
import { nodeTaintReconciler } from "../src/node-lifecycle/node-taints.ts";
import { podCollectionReconciler } from "../src/node-lifecycle/pod-collection.ts";
import { taintEvictionReconciler } from "../src/node-lifecycle/taint-eviction.ts";
import { schedulerReconciler } from "../src/scheduler/reconciler.ts";
import { type ClusterFixture, podOf, ref, startFixture } from "./fixture.ts";

const fixture = (context: TestContext): Promise<ClusterFixture> =>
  startFixture(context, {
    reconcilers: [schedulerReconciler, nodeTaintReconciler, taintEvictionReconciler, podCollectionReconciler],
  });

const isGone = ({ client }: ClusterFixture, name: string) =>
  client.get(Pod, ref(name)).then(
    () => false,
    (error: unknown) => isReason(error, "NotFound"),
  );
const taintsOf = async ({ client }: ClusterFixture, name: string) =>
  ((await client.get(Node, { name })).spec?.taints ?? []).map(({ key, effect }) => `${key}:${effect}`);

test("a node that is cordoned or short of something gets the taint, and loses it again; others stay", async (context) => {
  const here = await fixture(context);
  await here.node({ name: "a" });
  const { client, settle } = here;
  const mine = { key: "example.com/mine", effect: "NoSchedule" };
  await client.patch(Node, { name: "a" }, { type: "merge", body: { spec: { unschedulable: true, taints: [mine] } } });
  const pressure = (status: string) => ({ type: "DiskPressure", status });
  const report = (status: string) =>
    client.patch(
      Node,
      { name: "a" },
      { type: "strategic", body: { status: { conditions: [pressure(status)] } } },
      { subresource: "status" },
    );
  await report("True");
  await settle();
  assert.deepEqual(await taintsOf(here, "a"), [
    "example.com/mine:NoSchedule",
    "node.kubernetes.io/disk-pressure:NoSchedule",
    "node.kubernetes.io/unschedulable:NoSchedule",
  ]);
  await report("False");
  await client.patch(Node, { name: "a" }, { type: "merge", body: { spec: { unschedulable: null } } });
  await settle();
  assert.deepEqual(await taintsOf(here, "a"), ["example.com/mine:NoSchedule"]);
  here.writes.length = 0;
  await here.elapse(900_000);
  assert.deepEqual(here.writes, []);
});

test("a taint that drives away: at once, after a while, or not at all", async (context) => {
  const here = await fixture(context);
  await here.node({ name: "a" });
  const { client, settle, elapse } = here;
  const toleration = { key: "out", operator: "Exists", effect: "NoExecute" } as const;
  await client.create(Pod, podOf("plain"));
  await client.create(Pod, podOf("patient", { tolerations: [{ ...toleration, tolerationSeconds: 120 }] }));
  await client.create(Pod, podOf("steady", { tolerations: [toleration] }));
  await elapse(5_000);
  const timeAdded = new Date(here.clock.now()).toISOString();
  await client.patch(
    Node,
    { name: "a" },
    { type: "merge", body: { spec: { taints: [{ key: "out", effect: "NoExecute", timeAdded }] } } },
  );
  await settle();
  await elapse(60_000);
  assert.deepEqual(
    [await isGone(here, "plain"), await isGone(here, "patient"), await isGone(here, "steady")],
    [true, false, false],
  );
  assert.ok(
    (await here.events(ref("plain"))).includes("Normal TaintManagerEviction Marking for deletion Pod default/plain"),
  );
  await elapse(120_000);
  assert.deepEqual([await isGone(here, "patient"), await isGone(here, "steady")], [true, false]);
});

test("pods of a node that is gone are given up after a while", async (context) => {
  const here = await fixture(context);
  const agent = await here.node({ name: "a" });
  const { client, settle, elapse } = here;
  await client.create(Pod, podOf("left"));
  await elapse(5_000);
  await agent.leave();
  await settle();
  await elapse(20_000);
  assert.equal(await isGone(here, "left"), false);
  await elapse(60_000);
  assert.equal(await isGone(here, "left"), true);
});
