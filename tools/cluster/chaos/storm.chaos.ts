// The same work twice: without a fault, and while everything fails. Both must end in the same objects.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { planFaults } from "@trivium/testkit";
import { openChaosCluster } from "./chaos-cluster.ts";
import { playRound } from "./faults.ts";
import { askRealService, createRealService, untilRealReady } from "./real-service.ts";
import { createServices, deleteServices, untilEqual, untilReady, untilStill } from "./services.ts";

const services = Number(process.env.CHAOS_SERVICES ?? 30);
const minutes = Number(process.env.CHAOS_MINUTES ?? 3);
const rounds = 5;
const started = performance.now();
const print = (line: string): void =>
  console.error(`${((performance.now() - started) / 1000).toFixed(0).padStart(5)} s  ${line}`);

test(`${services} services, ${minutes} minutes of faults`, async (t) => {
  await using parts = new AsyncDisposableStack();
  const cluster = await openChaosCluster(t, parts);
  if (cluster === undefined) return;
  const { client, proxy, operators, namespace, registry } = cluster;
  operators.start();
  operators.start();
  await operators.leader(namespace);
  while ((await operators.passes()) === 0) await sleep(500);
  if (registry !== undefined) await createRealService(client, registry);
  const serving = registry === undefined ? undefined : await askRealService(client);
  const empty = await untilStill(client);
  await createServices(client, 0, services);
  const quiet = await untilReady(client, services);
  const quietWrites = proxy.writes.splice(0).filter(isWork).length;
  const quietPasses = await operators.passes();
  print(`without faults: ${Object.keys(quiet).length} objects, ${quietWrites} writes, ${quietPasses} passes`);
  await deleteServices(client, services);
  await untilEqual(client, empty, print);

  proxy.writes.splice(0);
  proxy.follow(planFaults({ seed: 16, rate: 0.05, most: Number.POSITIVE_INFINITY }));
  const memory: number[] = [];
  const sampling = setInterval(() => memory.push(operators.memory()), 1_000);
  const before = await operators.passes();
  for (let round = 0; round < rounds; round += 1) {
    const share = [round, round + 1].map((at) => Math.round((at * services) / rounds)) as [number, number];
    const created = createServices(client, ...share);
    await playRound(round, (minutes * 60_000) / rounds, { ...cluster, print });
    await created;
  }
  proxy.follow();

  await t.test(
    "the objects are those of the run without faults: none twice, none missing, none left over",
    async () => {
      await untilEqual(client, quiet, print);
      clearInterval(sampling);
    },
  );

  await t.test("faults cost few writes and passes, and at rest there are none", async () => {
    const faults = proxy.writes.filter(({ fault }) => fault !== undefined).length;
    const writes = proxy.writes.filter(isWork).length;
    const passes = (await operators.passes()) - before;
    print(`with faults: ${writes} writes, of which ${faults} failed; ${passes} passes`);
    assert.ok(faults > 0);
    assert.ok(writes <= 6 * quietWrites + 200, `${writes} writes, ${quietWrites} in the run without faults`);
    // Every leader looks at every object once when it begins.
    assert.ok(passes <= (2 * rounds + 6) * quietPasses, `${passes} passes, ${quietPasses} in the run without faults`);
    await untilStill(client);
    proxy.writes.splice(0);
    const atRest = await operators.passes();
    await sleep(15_000);
    const more = (await operators.passes()) - atRest;
    print(`at rest for 15 s: ${proxy.writes.filter(isWork).length} writes, ${more} passes`);
    assert.deepEqual(proxy.writes.filter(isWork), []);
    assert.ok(more <= services, `${more} passes at rest`);
  });

  await t.test("memory does not grow, no replica exits, and none has a fault of its own", () => {
    const third = Math.floor(memory.length / 3);
    const [early, late] = [Math.max(...memory.slice(0, 2 * third)), Math.max(...memory.slice(2 * third))];
    print(`memory: ${early.toFixed(0)} MB in the first two thirds, ${late.toFixed(0)} MB in the last`);
    assert.ok(late <= 1.3 * early + 20, `${late} MB after ${early} MB`);
    assert.deepEqual(operators.errors, []);
  });

  await t.test("the pod on the real node was left alone and answers as before", async (step) => {
    if (serving === undefined) return step.skip("no real node was requested; add --node");
    await untilRealReady(client);
    print(`on the real node: ${JSON.stringify(serving)}`);
    assert.deepEqual(await askRealService(client), serving);
  });

  await t.test("deleted services leave nothing", async () => {
    await deleteServices(client, services);
    await untilEqual(client, empty, print);
  });
});

const isWork = ({ path }: { readonly path: string }): boolean => !/\/(leases|events)(\/|$)/.test(path);
