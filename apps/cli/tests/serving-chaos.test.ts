import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, globSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import type { Pod } from "@trivium/kube";
import { ask, Load } from "./serving/load.ts";
import { Machine, missingKubectl, processesOf, until } from "./serving/machine.ts";
import { modelManifest } from "./serving/manifests.ts";

const skip = process.platform === "linux" ? await missingKubectl() : "skipped: processes are counted in /proc";
/** The long form is for a machine with time: TRIVIUM_CHAOS=10. */
const kills = Number(process.env.TRIVIUM_CHAOS ?? 3);

describe("things that are killed", { skip }, () => {
  const machine = new Machine();
  before(async () => {
    await machine.up();
    await machine.apply(modelManifest({ name: "chat" }));
    await machine.kubectl("rollout", "status", "deploy/chat");
  });
  after(() => machine.remove());

  const enginesOf = (): number[] =>
    processesOf(machine.home).flatMap(({ pid, command }) => (/^\S*node \S*engine/.test(command) ? [pid] : []));
  const theEngine = (): number => {
    const [pid, ...others] = enginesOf();
    assert.ok(pid !== undefined && others.length === 0, `one engine, not ${enginesOf()}`);
    return pid;
  };
  const pod = async (): Promise<Pod> =>
    (await machine.get<{ items: Pod[] }>("/api/v1/namespaces/default/pods?labelSelector=app%3Dchat")).items[0] as Pod;

  it("an engine that dies while it streams is a clean error for the client, and is started again", async () => {
    // Found before the request: reading all processes takes longer than a whole answer.
    const before = theEngine();
    const response = await fetch(`${machine.gateway}/v1/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        model: "chat",
        stream: true,
        max_tokens: 400,
        ignore_eos: true,
        messages: [{ role: "user", content: "Hi" }],
      }),
    });
    assert.equal(response.status, 200);
    let text = "";
    for await (const piece of (response.body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream())) {
      if (text === "") process.kill(before, "SIGKILL");
      text += piece;
    }
    const last = text.trim().split("\n\n").at(-1) ?? "";
    const { error } = JSON.parse(last.replace(/^data: /, "")) as { error: { message: string; code: string } };
    assert.match(error.message, /default\/chat stopped in the middle of its response/);
    const { status } = await ask(machine.gateway, "chat");
    assert.equal(status, 200, "a request right after it waits for the next one");
    const restarted = await until("the restart is told", async () => {
      const [observed] = (await pod()).status?.containerStatuses ?? [];
      return observed?.restartCount === 1 && observed.ready && observed;
    });
    assert.equal(restarted.lastState?.terminated?.exitCode, 137);
    assert.notEqual(theEngine(), before);
  });

  it(`the program killed ${kills} times under load leaves the model running, and takes it over`, async (t) => {
    const before = theEngine();
    const was = await pod();
    const load = new Load(machine.gateway, "chat", 2);
    t.after(() => load.stop());
    for (let round = 0; round < kills; round += 1) {
      await load.answers(5);
      await machine.kubectl("create", "configmap", `round-${round}`, "--from-literal=kept=yes");
      assert.equal(await machine.end("SIGKILL"), "SIGKILL");
      assert.equal(theEngine(), before);
      await machine.up();
      await load.answers(5);
    }
    await load.stop();
    assert.equal(theEngine(), before);
    const now = await pod();
    assert.deepEqual(
      [now.metadata.uid, now.status?.containerStatuses?.[0]?.restartCount],
      [was.metadata.uid, was.status?.containerStatuses?.[0]?.restartCount],
    );
    // While nobody listened, clients were told so by their own side; nobody got a wrong or half an answer.
    assert.deepEqual(
      load.failures.filter(
        (failure) => !/fetch failed (connect ECONNREFUSED|other side closed|read ECONNRESET)/.test(failure),
      ),
      [],
    );
    const kept = await machine.kubectl("get", "configmaps", "-o", "name");
    for (let round = 0; round < kills; round += 1) assert.match(kept, new RegExp(`configmap/round-${round}\n`));
  });

  it("the gateway killed is started again at the same address", async () => {
    const gateways = (): number[] =>
      processesOf(machine.home).flatMap(({ pid, command }) => (/gateway\.mjs --kube/.test(command) ? [pid] : []));
    // Those of the programs killed before end their streams first.
    const theGateway = (): Promise<number> =>
      until("one gateway runs", async () => {
        const [pid, ...others] = gateways();
        return others.length === 0 && pid;
      });
    const first = await theGateway();
    process.kill(first, "SIGKILL");
    await until("it is gone", async () => !gateways().includes(first));
    await until(
      "it answers again",
      async () => (await ask(machine.gateway, "chat").catch(() => undefined))?.status === 200,
    );
    assert.notEqual(await theGateway(), first);
  });

  it("a start after the machine itself went down starts everything again", async () => {
    await machine.end("SIGKILL");
    for (const { pid } of processesOf(machine.home)) process.kill(pid, "SIGKILL");
    await until("nothing runs", async () => processesOf(machine.home).length === 0);
    const folders = globSync(join(machine.home, "node/containers/*/*/*/run.json"));
    assert.ok(folders.length > 0);
    for (const path of folders) {
      const facts = JSON.parse(readFileSync(path, "utf8")) as { boot: string };
      writeFileSync(path, JSON.stringify({ ...facts, boot: "the boot before" }));
    }
    await machine.up();
    await until("it answers", async () => (await ask(machine.gateway, "chat").catch(() => undefined))?.status === 200);
    theEngine();
  });

  it("nothing is left after deletion, and nothing at all after Ctrl-C", async () => {
    await machine.apply(modelManifest({ name: "second" }));
    await machine.kubectl("rollout", "status", "deploy/second");
    await machine.kubectl("delete", "deploy,service", "second");
    await until("its process is gone", async () => enginesOf().length === 1);
    await until("its folders are gone", async () => {
      const { items } = await machine.get<{ items: Pod[] }>("/api/v1/pods");
      const uids = items.map(({ metadata }) => metadata.uid).sort();
      return ["containers", "rooms"].every(
        (folder) => String(readdirSync(join(machine.home, "node", folder)).sort()) === String(uids),
      );
    });
    const ports = listeningOf(processesOf(machine.home).map(({ pid }) => pid));
    assert.ok(ports.length > 2, String(ports));
    const cgroups = cgroupsOf(machine.home);
    assert.equal(await machine.end("SIGINT"), 0, machine.reported);
    assert.deepEqual(processesOf(machine.home), []);
    assert.equal(existsSync(join(machine.home, "run.json")), false);
    const still = new Set(allListening());
    assert.deepEqual(
      ports.filter((port) => still.has(port)),
      [],
    );
    assert.deepEqual(
      cgroups.filter((path) => existsSync(path)),
      [],
    );
    // The pods are still wanted: the next start brings them back.
    await machine.up();
    await until("it answers", async () => (await ask(machine.gateway, "chat").catch(() => undefined))?.status === 200);
  });
});

/** `address:port` of every listening socket of this machine, as the kernel writes them. */
function allListening(): string[] {
  return execFileSync("ss", ["-Hltn"], { encoding: "utf8" })
    .trim()
    .split("\n")
    .map((line) => line.split(/\s+/)[3] ?? "");
}

function listeningOf(pids: readonly number[]): string[] {
  return execFileSync("ss", ["-Hltnp"], { encoding: "utf8" })
    .trim()
    .split("\n")
    .filter((line) => pids.some((pid) => line.includes(`pid=${pid},`)))
    .map((line) => line.split(/\s+/)[3] ?? "");
}

/** The groups that the kernel keeps for containers of this home, where it does. */
function cgroupsOf(home: string): string[] {
  return globSync(join(home, "node/containers/*/*/*/run.json")).flatMap(
    (path) => (JSON.parse(readFileSync(path, "utf8")) as { cgroup?: string }).cgroup ?? [],
  );
}
