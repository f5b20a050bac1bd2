import assert from "node:assert/strict";
import { test } from "node:test";
import { Pod } from "@trivium/kube";
import { type Fault, faultyClient, turns } from "@trivium/testkit";
import { LogBook, NodeAgent, stagedSandbox } from "../src/index.ts";
import { startStage } from "./stage.ts";

const faults: readonly Fault[] = ["refused", "conflict", "lost-answer", "repeat", "disconnect", "gone", "slow"];

/** The same numbers for the same seed. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  };
}

for (const seed of [1, 2, 3, 4, 5]) {
  test(`with a bad network and agents that come and go, all pods still get where they should (seed ${seed})`, async (t) => {
    const stage = await startStage(t);
    const random = randomOf(seed);
    const draw = (): Fault => (random() < 0.25 ? (faults[Math.floor(random() * faults.length)] as Fault) : "none");
    const client = faultyClient(stage.client, draw);
    const sandbox = () => stagedSandbox({ clock: stage.clock, podCidr: "10.244.1.0/24" });
    const makeAgent = () =>
      new NodeAgent({
        profile: { name: "node-a", address: "127.0.0.1" },
        client,
        clock: stage.clock,
        sandbox: sandbox(),
        logs: new LogBook(() => stage.clock.now()),
        events: "none",
      });
    const begin = async (agent: NodeAgent) => {
      let isUp = false;
      const started = agent.start().then(() => {
        isUp = true;
      });
      while (!isUp) await stage.clock.advance(500, () => turns(4));
      await started;
    };
    let agent = makeAgent();
    await begin(agent);
    for (let i = 0; i < 8; i += 1) {
      await stage.create(`web-${i}`);
      await stage.create(
        `task-${i}`,
        { restartPolicy: "Never" },
        { annotations: { "trivium.dev/stage": i % 2 ? "completes" : "fails" } },
      );
      await stage.elapse(random() * 1_500);
      if (i % 3 === 1) await stage.client.delete(Pod, { namespace: "default", name: `web-${i}` });
      if (i === 4) {
        await agent.stop();
        agent = makeAgent();
        await begin(agent);
      }
    }
    client.heal();
    await stage.elapse(120_000);
    const { items } = await stage.client.list(Pod, { namespace: "default" });
    const observed = Object.fromEntries(items.map(({ metadata, status }) => [metadata.name, status?.phase]));
    const wanted = Object.fromEntries([
      ...[0, 2, 3, 5, 6].map((i) => [`web-${i}`, "Running"]),
      ...[0, 1, 2, 3, 4, 5, 6, 7].map((i) => [`task-${i}`, i % 2 ? "Succeeded" : "Failed"]),
    ]);
    assert.deepEqual(observed, wanted);
    assert.ok(
      items.every(({ status }) => status?.phase !== "Running" || status.containerStatuses?.[0]?.restartCount === 0),
    );
    const addresses = items.filter(({ status }) => status?.phase === "Running").map(({ status }) => status?.podIP);
    assert.equal(new Set(addresses).size, addresses.length, "no two pods share an address");
    await agent.stop();
  });
}
