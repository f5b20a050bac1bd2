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

test("a holder renews every three seconds, and after a failure every two, so that it keeps the Lease", async () => {
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
  assert.deepEqual(renewals, [3_000, 6_000, 9_000]);
  isBroken = true;
  await clock.advance(7_000, () => turns(3));
  isBroken = false;
  await clock.advance(2_000, () => turns(3));
  assert.deepEqual([renewals.slice(3), holder.isLeader], [[12_000, 14_000, 16_000, 18_000], true]);
  await holder.stop();
  await cluster.close();
});
