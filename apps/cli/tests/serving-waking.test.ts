import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Deployment, Node } from "@trivium/kube";
import { parseQuantity, quantityToNumber } from "@trivium/std";
import { ask } from "./serving/load.ts";
import { Machine, missingKubectl, processesOf, until } from "./serving/machine.ts";
import { modelManifest } from "./serving/manifests.ts";

const skip = process.platform === "linux" ? await missingKubectl() : "skipped: processes are counted in /proc";

describe("models that sleep", { skip }, () => {
  const machine = new Machine();
  before(() => machine.up());
  after(() => machine.remove());

  const deployment = (name: string): Promise<Deployment> =>
    machine.get<Deployment>(`/apis/apps/v1/namespaces/default/deployments/${name}`);
  const isAsleep = async (name: string): Promise<boolean> => {
    const { spec, status } = await deployment(name);
    return spec?.replicas === 0 && (status?.replicas ?? 0) === 0;
  };
  const engines = (): number =>
    processesOf(machine.home).filter(({ command }) => /^\S*node \S*engine/.test(command)).length;
  const answers = async (model: string): Promise<void> => {
    const { status, text } = await ask(machine.gateway, model);
    assert.equal(status, 200, text);
  };

  const isListed = async (model: string): Promise<boolean> => {
    const response = await fetch(`${machine.gateway}/v1/models`);
    const { data } = (await response.json()) as { data: { id: string }[] };
    return data.some(({ id }) => id === model);
  };

  it("make room for each other where only one fits, the least recently used first", async () => {
    const [node] = (await machine.get<{ items: Node[] }>("/api/v1/nodes")).items;
    const allocatable = parseQuantity(node?.status?.allocatable?.memory ?? "");
    const bytes = allocatable === undefined ? 0 : quantityToNumber(allocatable);
    assert.ok(bytes > 0);
    const memory = String(Math.floor(bytes * 0.4));
    const annotations = { "trivium.dev/idle-timeout": "1h" };
    const names = ["one", "two", "three"];
    for (const name of names) await machine.apply(modelManifest({ name, memory, annotations, replicas: 0 }));
    await answers("one");
    await answers("two");
    await answers("one");
    // Two fit. The third one takes the place of the second, which was asked before the first.
    await answers("three");
    assert.deepEqual(await Promise.all(names.map(isAsleep)), [false, true, false]);
    await answers("two");
    assert.deepEqual(await Promise.all(names.map(isAsleep)), [true, false, false]);
    await machine.kubectl("delete", "deploy,service", ...names);
  });

  it("go to zero when nobody asks, and wake by any of their names, also after a restart of everything", async () => {
    const annotations = { "trivium.dev/idle-timeout": "2s" };
    await machine.apply(modelManifest({ name: "left", flags: ["--alias", "lefty"], annotations, replicas: 2 }));
    await machine.apply(modelManifest({ name: "right", flags: ["--alias", "righty"], annotations }));
    await until("the gateway lists both", async () => (await isListed("left")) && (await isListed("right")));
    await answers("left");
    await answers("right");
    await until("both are asleep", async () => (await isAsleep("left")) && (await isAsleep("right")));
    await until("no engine is left", async () => engines() === 0);
    assert.equal((await deployment("left")).metadata.annotations?.["trivium.dev/awake-replicas"], "2");
    await answers("righty");
    assert.equal(await isAsleep("left"), true);
    await machine.end("SIGINT");
    await machine.up();
    await Promise.all([answers("lefty"), answers("lefty"), answers("default/left")]);
    assert.equal((await deployment("left")).spec?.replicas, 2);
  });
});
