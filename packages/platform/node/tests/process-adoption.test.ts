import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { describe, type TestContext, test } from "node:test";
import { builtInResources, createApi, loadOrCreateIdentity, openMemoryStore, serveHttps } from "@trivium/apiserver";
import { createClient } from "@trivium/client";
import { type api, Pod } from "@trivium/kube";
import { formatTime } from "@trivium/std";
import { build } from "esbuild";
import { eventually, isReady, mark, pause, processesWith, shell, startProcessStage, stateOf } from "./process-stage.ts";

/** One file, so that an agent is up again in a moment. */
async function bundleAgent(folder: string): Promise<string> {
  const outfile = join(folder, "agent.mjs");
  const entry = join(import.meta.dirname, "process-agent.ts");
  const banner = { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" };
  await build({
    entryPoints: [entry],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node24",
    banner,
  });
  return outfile;
}

/** An API server that other processes reach, and agents that can be killed. */
async function startOutside(t: TestContext) {
  const root = await mkdtemp(join(tmpdir(), "trivium-node-"));
  const identity = await loadOrCreateIdentity(join(root, "identity"));
  const server = createApi({ store: openMemoryStore(), resources: builtInResources() });
  await server.ready;
  const https = await serveHttps(server, { identity, report: () => undefined });
  const client = createClient(server.transport({ user: "stage", groups: ["system:masters"] }));
  const access = { server: https.url, ca: identity.authority, ...identity.admin };
  const program = await bundleAgent(root);
  const children = new Set<ChildProcess>();
  const agent = async () => {
    const child = spawn(process.execPath, [program, JSON.stringify({ root, access })], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    children.add(child);
    child.once("exit", () => children.delete(child));
    const [line] = await once(createInterface(child.stdout), "line");
    assert.equal(line, "started");
    return {
      kill: async () => {
        child.kill("SIGKILL");
        if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
      },
    };
  };
  t.after(async () => {
    const { items } = await client.list(Pod, { namespace: "default" });
    for (const { metadata } of items)
      await client.delete(Pod, { namespace: "default", name: metadata.name ?? "" }, { gracePeriodSeconds: 0 });
    if (children.size === 0) await agent();
    await eventually(async () => (await readdir(join(root, "containers"))).length === 0, "all is cleared away");
    for (const child of children) {
      child.kill("SIGKILL");
      await once(child, "exit");
    }
    await eventually(async () => (await processesWith(join(root, "containers"))).length === 0, "no process is left");
    await https.close();
    await server.close();
    await rm(root, { recursive: true, force: true });
  });
  const get = (name: string) => client.get(Pod, { namespace: "default", name });
  return {
    root,
    agent,
    client,
    get,
    create: (name: string, containers: api.Container[], spec: object = {}) =>
      client.create(Pod, {
        apiVersion: "v1",
        kind: "Pod",
        metadata: { name, namespace: "default" },
        spec: { nodeName: "node-a", containers, ...spec },
      }),
    until: (name: string, holds: (pod: Pod) => boolean) =>
      eventually(async () => holds(await get(name)), `pod ${name}`),
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}

// Most of their time is waiting, and each has a node of its own.
describe("agents that come and go", { concurrency: true }, () => {
  test("an agent killed ten times leaves the same process serving, with its probes, logs and no leak", async (t) => {
    const outside = await startOutside(t);
    const port = await freePort();
    const script = `require("http").createServer((_, answer) => answer.end(String(process.pid))).listen(${port}, "127.0.0.1")`;
    const web = { name: "web", image: "node", command: [process.execPath, "-e", script] };
    const readinessProbe = { periodSeconds: 1, httpGet: { port } };
    let agent = await outside.agent();
    await outside.create("serves", [{ ...web, readinessProbe }, shell("side", `exec sleep ${mark(91)}`)]);
    await outside.until("serves", isReady);
    const ask = () => fetch(`http://127.0.0.1:${port}`).then((answer) => answer.text());
    const pid = await ask();
    const count = async () => (await processesWith(outside.root)).length;
    const before = await count();
    let failed = 0;
    let asked = 0;
    const stop = new AbortController();
    const load = (async () => {
      while (!stop.signal.aborted) {
        asked += 1;
        const answer = await ask().catch(() => "");
        if (answer !== pid) failed += 1;
        await pause(2);
      }
    })();
    for (let i = 0; i < 10; i += 1) {
      await agent.kill();
      agent = await outside.agent();
    }
    await outside.until("serves", isReady);
    stop.abort();
    await load;
    assert.equal(failed, 0, `${failed} of ${asked} requests failed`);
    const statuses = (await outside.get("serves")).status?.containerStatuses ?? [];
    assert.deepEqual(
      statuses.map(({ restartCount, ready }) => `${restartCount} ${ready}`),
      ["0 true", "0 true"],
    );
    assert.equal(await count(), before, "no more processes than before");
    await agent.kill();
    process.kill(Number(pid), "SIGKILL");
    agent = await outside.agent();
    await outside.until("serves", (pod) => stateOf(pod, "web")?.restartCount === 1 && isReady(pod));
    assert.equal(stateOf(await outside.get("serves"), "web")?.lastState?.terminated?.exitCode, 137);
  });

  test("agents killed at any moment while pods begin leave each running once", async (t) => {
    const outside = await startOutside(t);
    for (let i = 0; i < 6; i += 1) {
      const starting = outside.agent();
      await outside.create(`p-${i}`, [shell("main", `echo begun; exec sleep ${mark(100 + i)}`)]);
      const agent = await starting;
      await pause(i * 7);
      await agent.kill();
    }
    await outside.agent();
    for (let i = 0; i < 6; i += 1) {
      await outside.until(`p-${i}`, isReady);
      const count = async () => (await processesWith(`sleep\0${mark(100 + i)}`)).length;
      await eventually(async () => (await count()) > 0, `p-${i} runs`);
      assert.equal(await count(), 1, `p-${i} runs once`);
      assert.equal(stateOf(await outside.get(`p-${i}`))?.restartCount, 0);
    }
  });

  test("what ended while no agent ran is told with its code and time; what was deleted meanwhile is cleared away", async (t) => {
    const outside = await startOutside(t);
    const first = await outside.agent();
    await outside.create("ends", [shell("main", "while ! [ -e go ]; do sleep 0.02; done; echo bye; exit 7")], {
      restartPolicy: "Never",
    });
    await outside.create("goes", [shell("main", `trap '' TERM; sleep ${mark(93)} & wait; sleep ${mark(93)}`)]);
    for (const name of ["ends", "goes"]) await outside.until(name, isReady);
    await first.kill();
    const uid = (await outside.get("ends")).metadata.uid ?? "";
    await writeFile(join(outside.root, "rooms", uid, "go"), "");
    await outside.client.delete(Pod, { namespace: "default", name: "goes" }, { gracePeriodSeconds: 0 });
    const folder = join(outside.root, "containers", uid, "main");
    const [run = ""] = await readdir(folder);
    await eventually(
      async () => (await readFile(join(folder, run, "exit"), "utf8")).startsWith("7"),
      "its end is written down",
    );
    assert.ok((await processesWith(mark(93))).length > 0, "nobody has ended the other one yet");
    const { mtimeMs: ended } = await stat(join(folder, run, "exit"));
    await pause(1_100);
    await outside.agent();
    await outside.until("ends", ({ status }) => status?.phase === "Failed");
    const { exitCode, reason, finishedAt } = stateOf(await outside.get("ends"))?.state?.terminated ?? {};
    assert.deepEqual([exitCode, reason, finishedAt], [7, "Error", formatTime(ended)]);
    assert.deepEqual(await processesWith(mark(93)), []);
    assert.deepEqual(await readdir(join(outside.root, "containers")), [uid]);
  });

  test("after a restart of the machine everything begins again", async (t) => {
    const stage = await startProcessStage(t);
    const first = await stage.agent();
    await stage.create("again", `exec sleep ${mark(94)}`);
    const pod = await stage.until("again", isReady);
    await eventually(async () => (await processesWith(`sleep\0${mark(94)}`)).length === 1, "it sleeps");
    await first.stop();
    // As it would be: no process, and files that speak of another start.
    const folder = join(stage.root, "containers", pod.metadata.uid ?? "", "main");
    const [run = ""] = await readdir(folder);
    const file = join(folder, run, "run.json");
    await writeFile(file, (await readFile(file, "utf8")).replace(/"boot":"[^"]*"/, '"boot":"another"'));
    for (const pid of await processesWith(mark(94))) process.kill(pid, "SIGKILL");
    await eventually(async () => (await processesWith(mark(94))).length === 0, "the machine is down");
    await stage.agent();
    const after = await stage.until("again", (observed) => isReady(observed) && stateOf(observed)?.restartCount === 1);
    const { exitCode, reason } = stateOf(after)?.lastState?.terminated ?? {};
    assert.deepEqual([exitCode, reason], [255, "Unknown"]);
  });

  test("a supervisor that is killed with its container is seen by an agent that took it over", async (t) => {
    const stage = await startProcessStage(t);
    const first = await stage.agent();
    await stage.create("struck", `exec sleep ${mark(95)}`);
    await stage.until("struck", isReady);
    await eventually(async () => (await processesWith(`sleep\0${mark(95)}`)).length === 1, "it sleeps");
    await first.stop();
    await stage.agent();
    for (const pid of await processesWith(mark(95))) process.kill(pid, "SIGKILL");
    const pod = await stage.until("struck", (observed) => isReady(observed) && stateOf(observed)?.restartCount === 1);
    assert.equal(stateOf(pod)?.lastState?.terminated?.exitCode, 137);
  });

  test("what rests with its machine begins again at once, however often, and its log is still there", async (t) => {
    const stage = await startProcessStage(t);
    // A crash would have to wait longer than the test does.
    const backoff = { first: 60_000, most: 60_000 };
    let agent = await stage.agent({ backoff });
    await stage.create("rests", `trap 'echo asked; exit 0' TERM; echo begun; sleep ${mark(96)} & wait`);
    await stage.create("resists", `trap '' TERM; echo begun; while :; do sleep ${mark(96)}; done`);
    for (let round = 1; round <= 2; round += 1) {
      for (const name of ["rests", "resists"]) {
        await stage.until(name, isReady);
        await eventually(async () => (await stage.log(name)).includes("begun"), `${name} has begun`);
      }
      await agent.stop();
      await stage.sandbox().rest?.(1_500);
      assert.deepEqual(await processesWith(mark(96)), []);
      agent = await stage.agent({ backoff });
      const isAgain = (pod: Pod): boolean => isReady(pod) && stateOf(pod)?.restartCount === round;
      const rests = await stage.until("rests", isAgain);
      const resists = await stage.until("resists", isAgain);
      const codes = [rests, resists].map((pod) => stateOf(pod)?.lastState?.terminated?.exitCode);
      assert.deepEqual(codes, [0, 137]);
      assert.deepEqual(await stage.log("rests", { previous: true }), ["begun", "asked"]);
    }
  });
});
