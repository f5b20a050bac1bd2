import assert from "node:assert/strict";
import { type after, test } from "node:test";
import { Lease, Namespace } from "@trivium/kube";
import type { Dialect } from "@trivium/reconcile";
import { formatMicroTime } from "@trivium/std";
import { startCluster } from "@trivium/testkit";
import { Registry } from "prom-client";
import { UpstreamOperators } from "../src/upstream-operators.ts";

const name = "leader.upstream.example";
const upstream = {
  name: "Upstream",
  managers: ["manager"],
  namespaces: ["upstream-system"],
  leases: [name],
  finalizers: [],
};
const dialect = { name: "garden", upstream, reconcilers: [{ name: "garden.sample" }] } as unknown as Dialect;

async function prepared(t: { after: typeof after }) {
  const cluster = await startCluster([]);
  const { client, clock } = cluster;
  const resting: string[][] = [];
  const lines: string[] = [];
  const note = (_: object, text: string): void => void lines.push(text);
  const operators = new UpstreamOperators({
    client,
    clock,
    dialects: [dialect],
    runtime: { rest: (names) => void resting.push([...names]) },
    log: { debug: note, info: note, warn: note, error: note },
    registry: new Registry(),
  });
  t.after(async () => {
    await operators.stop();
    await cluster.close();
  });
  const spec = (holderIdentity = "upstream-0") => ({
    holderIdentity,
    leaseDurationSeconds: 15,
    renewTime: formatMicroTime(clock.now()),
  });
  const namespace = "upstream-system";
  await client.create(Namespace, { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
  const ref = { namespace, name };
  const hold = (at = ref): Promise<Lease> =>
    client.create(Lease, { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata: at, spec: spec() });
  const renew = (): Promise<Lease> => client.patch(Lease, ref, { type: "merge", body: { spec: spec() } });
  const elapse = (time: number): Promise<void> => clock.advance(time);
  return { operators, resting, lines, clock, hold, renew, elapse };
}

test("without an upstream operator everything runs", async (t) => {
  const { operators, resting, lines } = await prepared(t);
  await operators.start();
  assert.deepEqual(resting, [[]]);
  assert.deepEqual(lines, []);
});

test("a Lease that a user creates in another namespace stops nothing", async (t) => {
  const { operators, resting, hold } = await prepared(t);
  await hold({ namespace: "default", name });
  await operators.start();
  assert.deepEqual(resting, [[]]);
});

test("reconcilers rest while the upstream operator renews its Lease, and go on when it no longer does", async (t) => {
  const { operators, resting, lines, hold, renew, elapse } = await prepared(t);
  await hold();
  await operators.start();
  assert.deepEqual(resting.at(-1), ["garden.sample"]);
  assert.match(
    lines[0] ?? "",
    /^Upstream is running and holds Lease upstream-system\/leader.upstream.example; .*; stop it, or /,
  );
  for (let round = 0; round < 5; round += 1) {
    await elapse(10_000);
    await renew();
  }
  assert.deepEqual(resting.at(-1), ["garden.sample"]);
  await elapse(30_000);
  assert.deepEqual(resting.at(-1), []);
  assert.equal(lines.at(-1), "Upstream has stopped; reconciling garden objects");
  assert.equal(lines.length, 2, "each is told once");
});

test("one that starts later is noticed; a Lease that was left behind long ago holds nothing up", async (t) => {
  const { operators, resting, clock, hold, renew, elapse } = await prepared(t);
  await hold();
  await clock.advance(3_600_000);
  await operators.start();
  assert.deepEqual(resting, [[]]);
  await renew();
  await elapse(61_000);
  assert.deepEqual(resting.at(-1), ["garden.sample"]);
});
