import assert from "node:assert/strict";
import { existsSync, globSync, readdirSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { type Running, stopAll, temporaryHome, trivium, triviumInGroup } from "./running.ts";

const { path: home, remove } = temporaryHome();
const up = (): Running => triviumInGroup(["up", "--home", home, "--port", "0", "--gateway-port", "0"]);
const run = async (...args: string[]): Promise<{ code: number | string; output: string }> => {
  const running = trivium([...args, "--home", home]);
  const code = await running.ended;
  return { code, output: running.output() + running.errors() };
};

/** Processes that have anything to do with the home: by their command, their folder or their environment. */
function processesOfHome(): string[] {
  return readdirSync("/proc").flatMap((pid) => {
    if (!/^\d+$/.test(pid) || Number(pid) === process.pid) return [];
    try {
      const command = readFileSync(`/proc/${pid}/cmdline`, "utf8");
      const traces = [command, readlinkSync(`/proc/${pid}/cwd`), readFileSync(`/proc/${pid}/environ`, "utf8")];
      return traces.some((text) => text.includes(home)) ? [`${pid} ${command.replaceAll("\0", " ")}`] : [];
    } catch {
      // It has ended meanwhile.
      return [];
    }
  });
}

async function until(holds: () => boolean, what: string): Promise<void> {
  for (const end = Date.now() + 60_000; !holds(); await sleep(2)) assert.ok(Date.now() < end, what);
}

const isPresent = (pattern: string): boolean => globSync(pattern, { cwd: home }).length > 0;
const runs = (): string[] => globSync("node/containers/*/*/*/run.json", { cwd: home });

describe("a control plane with a service", {
  skip: process.platform !== "linux" && "processes are read in /proc",
}, () => {
  before(async () => {
    const first = up();
    await first.ready();
    first.process.kill("SIGINT");
    assert.equal(await first.ended, 0, first.errors());
  });
  after(() => {
    stopAll();
    remove();
  });

  /** A state of the start, from the state before it. */
  const moments: Record<string, (running: Running) => () => boolean> = {
    "the store is its own": () => () => isPresent("data/holder.json"),
    // One that is right already is left alone.
    "the kubeconfig is written": () => {
      rmSync(join(home, "kubeconfig"), { force: true });
      return () => isPresent("kubeconfig");
    },
    "the gateway starts": () => () => processesOfHome().some((line) => line.includes("--admin-port")),
    "a container is about to start": () => {
      const before = new Set(runs());
      return () => runs().some((path) => !before.has(path));
    },
    "a container has its supervisor": () => () => processesOfHome().some((line) => line.includes("keeper")),
    "the engine starts": () => () => processesOfHome().some((line) => line.includes("--model")),
    "it is written down as running": () => () => existsSync(join(home, "run.json")),
    "its address is printed": (running) => () => running.output().includes("control plane"),
    "it is ready": (running) => () => /^ready$/m.test(running.output()),
  };
  for (const [moment, reached] of Object.entries(moments)) {
    test(`stopped when ${moment}, it ends everything that it started, in one line`, async () => {
      rmSync(join(home, "data", "holder.json"), { force: true });
      const running = up();
      await until(reached(running), moment);
      // As a terminal does at Ctrl-C: to all processes of the group.
      process.kill(-(running.process.pid ?? 0), "SIGINT");
      assert.equal(await running.ended, 0, running.errors());
      assert.equal(running.errors(), "");
      assert.match(running.output().trim().split("\n").at(-1) ?? "", /^stopped( while starting; nothing runs)?$/);
      assert.deepEqual(processesOfHome(), []);
      assert.equal(existsSync(join(home, "run.json")), false);
    });
  }

  test("a reader that leaves stops it, with its pods", async () => {
    const running = up();
    await until(() => processesOfHome().some((line) => line.includes("--model")), "the engine runs");
    running.process.stdout?.destroy();
    await running.ended;
    assert.deepEqual(processesOfHome(), []);
  });

  test("trivium down stops one that is starting", async () => {
    rmSync(join(home, "data", "holder.json"), { force: true });
    const running = up();
    await until(() => isPresent("data/holder.json"), "it starts");
    const { code, output } = await run("down");
    assert.deepEqual({ code, output }, { code: 0, output: `stopped process ${running.process.pid}\n` });
    assert.equal(await running.ended, 0, running.errors());
    assert.deepEqual(processesOfHome(), []);
  });

  test("pods that a killed control plane leaves are named by status and doctor, and stopped by down", async () => {
    const killed = up();
    await killed.ready();
    killed.process.kill("SIGKILL");
    await killed.ended;
    const left = /1 pod \(default\/demo-[a-z0-9-]+\)/;
    const status = await run("status");
    assert.equal(status.code, 3);
    assert.match(status.output, left);
    assert.match(status.output, /stop with trivium down, or take over with trivium up -d/);
    assert.match((await run("doctor", "--no-outside")).output, left);
    const down = await run("down");
    assert.equal(down.code, 0);
    assert.match(down.output, new RegExp(`^no control plane runs; stopped ${left.source} of an earlier one\n$`));
    await until(() => processesOfHome().length === 0, `no process is left: ${processesOfHome().join("\n")}`);
    assert.deepEqual(await run("down"), { code: 0, output: "no control plane runs\n" });
  });
});
