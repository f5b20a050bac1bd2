import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { setTimeout } from "node:timers/promises";
import { ConfigMap } from "@trivium/kube";
import { planFaults, Sample, sample } from "@trivium/testkit";
import { assertInOrder, edit, inSampleNamespace, paint, ref } from "./beds.ts";
import type { OperatorProcess } from "./operator-process.ts";
import { namespace, type Stage } from "./stage.ts";
import { until } from "./until.ts";

/** The same work while writes fail, watches break, the server goes away and the operator is killed. */
export async function playStorm(t: TestContext, stage: Stage): Promise<void> {
  const { client, proxy, server } = stage;
  const elections = server.isPatient ? [] : ["--no-leader-election"];
  const args = ["--namespace", namespace, "--install-crds", ...elections];
  await stage.grant(args);
  const doomed = stage.start("doomed", args);
  await doomed.ready();
  await client.create(Sample, { ...sample("elsewhere"), metadata: { name: "elsewhere", namespace: "default" } });
  await paint(client, "white");
  proxy.follow(planFaults({ seed: 2026, rate: 0.05, most: 100 }));
  stage.takeWrites();
  const names = Array.from({ length: 12 }, (_, i) => `s${i}`);
  const everywhere = (work: (name: string, i: number) => Promise<unknown>) => Promise.all(names.map(work));

  await t.test("writes fail and watches break", async () => {
    await everywhere((name, i) =>
      client.create(Sample, inSampleNamespace(sample(name, { flowers: i % 4, card: "for you" }))),
    );
    assert.ok(proxy.cutWatches() > 0);
    await everywhere((name, i) => edit(client, name, { flowers: (i + 1) % 4 }));
    await until(() => assertInOrder(stage));
  });

  await t.test("the server stops in the middle of it and comes back", async (interruption) => {
    if (server.interrupt === undefined) return interruption.skip("this server is not ours to stop");
    await everywhere((name, i) => edit(client, name, { flowers: (i + 2) % 4 }));
    const startAgain = await server.interrupt();
    await setTimeout(server.quiet);
    await startAgain();
    await until(() => paint(client, "blue"));
    await until(() => assertInOrder(stage));
  });

  let heir: OperatorProcess;
  await t.test("the operator is killed in the middle of it, and another one finishes its work", async () => {
    const early = server.isPatient ? stage.start("heir", args) : undefined;
    await early?.ready();
    await paint(client, "green");
    await everywhere((name, i) =>
      i % 3 === 0 ? client.delete(Sample, ref(name)) : edit(client, name, { flowers: 2 }),
    );
    assert.equal(await doomed.end("SIGKILL"), "SIGKILL");
    heir = early ?? stage.start("heir", args);
    await heir.ready();
    proxy.cutWatches();
    await until(() => assertInOrder(stage));
    assert.equal((await client.list(Sample, { namespace })).items.length, 8, "two of three are left");
  });

  await t.test("afterwards all is as wanted, quiet, and nothing outside the namespace was touched", async () => {
    await stage.rest(3 * server.quiet);
    await assertInOrder(stage);
    const faults = new Set(proxy.writes.map(({ fault }) => fault));
    assert.deepEqual([...faults].sort(), ["broken", "conflict", "lost-answer", "too-many", undefined]);
    const { metadata, status } = await client.get(Sample, { namespace: "default", name: "elsewhere" });
    assert.deepEqual([status, metadata.finalizers], [undefined, undefined]);
    await everywhere(async (name) => {
      assert.deepEqual((await client.get(ConfigMap, ref(`${name}-card`))).data, { text: "for you" });
    });
  });

  await t.test("all are deleted at last, and all go", async () => {
    const { items } = await client.list(Sample, { namespace });
    await Promise.all(items.map(({ metadata }) => client.delete(Sample, ref(metadata.name ?? ""))));
    await until(async () => assert.deepEqual((await client.list(Sample, { namespace })).items, []));
    await until(() => assertInOrder(stage));
    assert.equal(await heir.end("SIGTERM"), 0, heir.errors());
  });
}
