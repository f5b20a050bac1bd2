import assert from "node:assert/strict";
import { test } from "node:test";
import { Lease } from "@trivium/kube";
import { FakeClock, type Fault, faultyClient, startCluster, turns } from "@trivium/testkit";
import fc from "fast-check";
import { LeaderElection } from "./leader.ts";

const name = { namespace: "default", name: "work" };

test("there is never more than one leader, whatever the network does, and one when it heals", async () => {
  const fault = fc.constantFrom<Fault>("none", "none", "slow", "refused", "conflict", "lost-answer");
  await fc.assert(
    fc.asyncProperty(
      fc.array(fault, { maxLength: 150 }),
      fc.array(fc.nat(9_000), { maxLength: 25 }),
      async (faults, steps) => {
        const cluster = await startCluster();
        const { clock } = cluster;
        const client = faultyClient(cluster.client, () => faults.shift() ?? "none");
        const log: string[] = [];
        const candidates = ["one", "two", "three"].map((identity, i) => {
          const onLead = () => log.push(`${identity} leads`);
          const onLose = () => log.push(`${identity} loses`);
          return new LeaderElection({ ...name, client, clock, random: () => i / 3, identity, onLead, onLose });
        });
        const leaders = () => candidates.filter(({ isLeader }) => isLeader).length;
        const rest = async () => {
          await turns(3);
          assert.ok(leaders() <= 1, log.join(", "));
        };
        for (const candidate of candidates) candidate.start();
        for (const step of steps) await clock.advance(step, rest);
        client.heal();
        await clock.advance(60_000, rest);
        assert.equal(leaders(), 1);
        await Promise.all(candidates.map((candidate) => candidate.stop()));
        const lease = await cluster.client.get(Lease, name);
        assert.equal(lease.spec?.holderIdentity, "", "given back");
        await cluster.close();
      },
    ),
    { numRuns: 25 },
  );
});

test("a clock that is set neither takes the Lease from its holder nor keeps it for a dead one", async () => {
  for (const hour of [3_600_000, -3_600_000]) {
    const clock = new FakeClock(Date.UTC(2020, 0, 1));
    const cluster = await startCluster([], clock);
    const options = { ...name, client: cluster.client, clock, random: () => 0, onLead: () => {}, onLose: () => {} };
    const holder = new LeaderElection({ ...options, identity: "holder" });
    const other = new LeaderElection({ ...options, identity: "other" });
    holder.start();
    await clock.advance(1_000);
    other.start();
    await clock.advance(2_000);
    clock.set(hour);
    for (let second = 0; second < 20; second++) {
      await clock.advance(1_000);
      assert.deepEqual([holder.isLeader, other.isLeader], [true, false]);
    }
    await holder.stop();
    await cluster.client.delete(Lease, name);
    const dead = { holderIdentity: "dead", leaseDurationSeconds: 10, renewTime: "2031-01-01T00:00:00.000000Z" };
    const lease = { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata: name, spec: dead };
    await other.stop();
    await cluster.client.create(Lease, lease);
    const next = new LeaderElection({ ...options, identity: "next" });
    next.start();
    await clock.advance(3_000);
    clock.set(-hour);
    await clock.advance(12_000);
    assert.equal(next.isLeader, true);
    await next.stop();
    await cluster.close();
  }
});

test("the clock of another machine means nothing: only a lease that does not change is expired", async () => {
  const clock = new FakeClock(Date.UTC(2020, 0, 1));
  const cluster = await startCluster([], clock);
  const spec = { holderIdentity: "ahead", leaseDurationSeconds: 15, renewTime: "2031-01-01T00:00:00.000000Z" };
  await cluster.client.create(Lease, { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata: name, spec });
  const options = { ...name, client: cluster.client, clock, random: () => 0, onLead: () => {}, onLose: () => {} };
  const candidate = new LeaderElection({ ...options, identity: "behind" });
  candidate.start();
  await clock.advance(14_000);
  assert.equal(candidate.isLeader, false);
  await clock.advance(4_000);
  assert.equal(candidate.isLeader, true);
  const { spec: taken } = await cluster.client.get(Lease, name);
  assert.deepEqual([taken?.holderIdentity, taken?.leaseTransitions], ["behind", 1]);
  await candidate.stop();
  await cluster.close();
});

test("a holder renews every 2.5 seconds, and after a failure every 1.5, so that it keeps the Lease", async () => {
  const clock = new FakeClock(Date.UTC(2020, 0, 1));
  const cluster = await startCluster([], clock);
  const renewals: number[] = [];
  let isBroken = false;
  const client = {
    ...cluster.client,
    replace: async (...args: Parameters<typeof cluster.client.replace>) => {
      renewals.push(clock.now() - Date.UTC(2020, 0, 1));
      if (isBroken) throw new Error("no answer");
      return cluster.client.replace(...args);
    },
  } as typeof cluster.client;
  const options = { ...name, client, clock, random: () => 0, onLead: () => {}, onLose: () => {} };
  const holder = new LeaderElection({ ...options, identity: "one" });
  holder.start();
  await clock.advance(10_000, () => turns(3));
  assert.deepEqual(renewals, [2_500, 5_000, 7_500, 10_000]);
  isBroken = true;
  await clock.advance(4_500, () => turns(3));
  isBroken = false;
  await clock.advance(1_500, () => turns(3));
  assert.deepEqual([renewals.slice(4), holder.isLeader], [[12_500, 14_000, 15_500], true]);
  await holder.stop();
  await cluster.close();
});

test("a leader that was killed has a successor within 15 seconds, however the tries of the two fall", async () => {
  for (const [random, killedAfter] of [
    [0, 1],
    [0.5, 1_200],
    [1, 2_999],
    [0.99, 10],
  ] as const) {
    const clock = new FakeClock(Date.UTC(2020, 0, 1));
    const cluster = await startCluster([], clock);
    let isKilled = false;
    const dead = () => Promise.reject(new Error("killed"));
    const replace: typeof cluster.client.replace = (...args) => (isKilled ? dead() : cluster.client.replace(...args));
    const options = { ...name, clock, random: () => random, onLead: () => {}, onLose: () => {} };
    const first = new LeaderElection({ ...options, client: { ...cluster.client, replace }, identity: "first" });
    const second = new LeaderElection({ ...options, client: cluster.client, identity: "second" });
    first.start();
    await clock.advance(700, () => turns(3));
    second.start();
    await clock.advance(20_000 + killedAfter, () => turns(3));
    assert.deepEqual([first.isLeader, second.isLeader], [true, false]);
    isKilled = true;
    await clock.advance(15_000, () => turns(3));
    assert.equal(second.isLeader, true, `random ${random}, killed after ${killedAfter} ms`);
    await Promise.all([first.stop(), second.stop()]);
    await cluster.close();
  }
});

test("a stop gives the Lease back also where it cut off the answer, or a renewal comes in between", async () => {
  for (const faults of [
    ["none", "lost-answer"],
    ["none", "none", "none", "conflict"],
  ] as Fault[][]) {
    const cluster = await startCluster();
    const { clock } = cluster;
    const client = faultyClient(cluster.client, () => faults.shift() ?? "none");
    const options = { ...name, client, clock, random: () => 0, onLead: () => {}, onLose: () => {} };
    const holder = new LeaderElection({ ...options, identity: "holder" });
    holder.start();
    await turns(3);
    await holder.stop();
    const lease = await cluster.client.get(Lease, name);
    assert.equal(lease.spec?.holderIdentity, "", "given back");
    await cluster.close();
  }
});
