import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { Pod } from "@trivium/kube";
import { portsAnnotation } from "../src/sandbox-setup/index.ts";
import { launchOf, outputOf, startSetupStage } from "./setup-stage.ts";

const server = {
  image: "ghcr.io/ggml-org/llama.cpp:server",
  args: ["--model", "/m", "--host", "0.0.0.0", "--port", "18080"],
  ports: [{ containerPort: 18080 }],
};

const annotationOf = async (
  client: { get: (kind: typeof Pod, ref: { namespace: string; name: string }) => Promise<Pod> },
  name: string,
) => (await client.get(Pod, { namespace: "default", name })).metadata.annotations?.[portsAnnotation];

test("pods have addresses of their own, keep them over restarts of the agent, and give them back", async (t) => {
  const stage = await startSetupStage(t);
  const setups = await stage.setups();
  if (setups.mode === "shared") return t.skip("skipped: this machine has one loopback address");
  const [a, b] = [await stage.pod("a", server), await stage.pod("b", server)];
  const [first, second] = [await launchOf(setups, a), await launchOf(setups, b)];
  assert.match(first.address, /^127\.77\.\d+\.\d+$/);
  assert.notEqual(first.address, second.address);
  assert.deepEqual([...first.ports], []);
  assert.deepEqual(first.argv, ["/opt/engine", "--model", "/m", "--host", first.address, "--port", "18080"]);
  assert.equal(await annotationOf(stage.client, "a"), undefined);
  await setups.stop();
  // The next agent meets a new pod first.
  const again = await stage.setups();
  const c = await launchOf(again, await stage.pod("c", server));
  assert.ok(![first.address, second.address].includes(c.address));
  assert.equal((await launchOf(again, b)).address, second.address);
  assert.equal((await launchOf(again, a)).address, first.address);
  await again.retain(new Set([a.metadata.uid ?? ""]));
  assert.deepEqual(
    [a, b].map(({ metadata }) => existsSync(join(stage.root, "rooms", metadata.uid ?? ""))),
    [true, false],
  );
  assert.deepEqual(stage.failures, []);
});

test("with one address for all, ports are given out, told, announced and kept", async (t) => {
  const stage = await startSetupStage(t);
  const setups = await stage.setups({ addresses: "shared" });
  const [a, b] = [await stage.pod("a", server), await stage.pod("b", server)];
  const [first, second] = [await launchOf(setups, a), await launchOf(setups, b)];
  assert.deepEqual([first.address, second.address], ["127.0.0.1", "127.0.0.1"]);
  const [p, q] = [first.ports.get(18080), second.ports.get(18080)];
  assert.ok(p !== undefined && q !== undefined && p !== q && p !== 18080);
  assert.deepEqual(first.argv.slice(-2), ["--port", String(p)]);
  assert.equal(await annotationOf(stage.client, "a"), JSON.stringify({ 18080: p }));
  // A port that only the arguments name is given out as well.
  const silent = await stage.pod("silent", { ...server, ports: [], args: ["--port", "18099"] });
  const third = await launchOf(setups, silent);
  assert.deepEqual(third.argv.slice(1, 3), ["--port", String(third.ports.get(18099))]);
  assert.equal(await annotationOf(stage.client, "silent"), JSON.stringify({ 18099: third.ports.get(18099) }));
  await setups.stop();
  const again = await stage.setups({ addresses: "shared" });
  assert.equal((await launchOf(again, a)).ports.get(18080), p);
  assert.equal((await launchOf(again, silent)).ports.get(18099), third.ports.get(18099));
  assert.deepEqual(stage.failures, []);
});

test("a port that somebody holds on all addresses is replaced", async (t) => {
  const stage = await startSetupStage(t);
  const setups = await stage.setups();
  if (setups.mode === "shared") return t.skip("skipped: this machine has one loopback address");
  const squatter = createServer();
  await new Promise<void>((resolve) => squatter.listen(0, "0.0.0.0", resolve));
  t.after(() => squatter.close());
  const { port } = squatter.address() as { port: number };
  const pod = await stage.pod("p", { ...server, args: ["--port", String(port)], ports: [{ containerPort: port }] });
  const launch = await launchOf(setups, pod);
  const given = launch.ports.get(port);
  assert.ok(given !== undefined && given !== port);
  assert.deepEqual(launch.argv.slice(1, 3), ["--port", String(given)]);
  assert.equal(await annotationOf(stage.client, "p"), JSON.stringify({ [port]: given }));
});

test("containers of a pod that call each other at localhost are told where that is", async (t) => {
  const stage = await startSetupStage(t);
  const setups = await stage.setups({ addresses: "shared" });
  const pod = await stage.pod("p", {
    command: ["echo", "http://localhost:18080/v1", "http://127.0.0.1:9999", "notlocalhost:18080", "localhost:180801"],
    env: [{ name: "UP", value: "localhost:18080" }],
    ports: [{ containerPort: 18080 }],
  });
  const { argv, env, ports } = await launchOf(setups, pod);
  const at = `127.0.0.1:${ports.get(18080)}`;
  assert.deepEqual(argv.slice(1), [
    `http://${at}/v1`,
    "http://127.0.0.1:9999",
    "notlocalhost:18080",
    "localhost:180801",
  ]);
  assert.equal(env.UP, at);
});

test("a pod on the host's network listens where it wants", async (t) => {
  const stage = await startSetupStage(t);
  const setups = await stage.setups();
  const pod = await stage.pod("p", server, { hostNetwork: true });
  const launch = await launchOf(setups, pod);
  assert.deepEqual([launch.address, launch.argv], ["127.0.0.1", ["/opt/engine", ...server.args]]);
});

test("commands for inside a container run here: paths, variables, and clients of the server", async (t) => {
  const stage = await startSetupStage(t);
  const setups = await stage.setups({
    addresses: "shared",
    images: [
      {
        match: ["redis"],
        plan: () => ({
          is: "runs",
          argv: ["/opt/redis"],
          clients: { "redis-cli": { host: { flags: ["-h"] }, port: { flags: ["-p"], usual: 6379 } } },
        }),
      },
    ],
  });
  const volumes = [{ name: "v", emptyDir: {} }];
  const pod = await stage.pod(
    "p",
    {
      image: "redis:7",
      env: [{ name: "F", value: "x" }],
      ports: [{ containerPort: 6379 }],
      volumeMounts: [{ name: "v", mountPath: "/data" }],
    },
    { volumes },
  );
  const container = pod.spec?.containers[0];
  assert.ok(container !== undefined);
  const found = await setups.prepare(pod, container, await setups.open(pod));
  assert.ok(found.is === "ready" && found.commandOf !== undefined);
  const port = String(found.launch.ports.get(6379));
  const folder = join(stage.root, "rooms", pod.metadata.uid ?? "", "volumes/v");
  assert.deepEqual(found.commandOf(["test", "-e", "/data/$(F)"]).slice(1), ["-e", `${folder}/x`]);
  const expected = ["-h", "127.0.0.1", "-p", port, "ping"];
  assert.deepEqual(found.commandOf(["redis-cli", "ping"]).slice(1), expected);
  assert.deepEqual(found.commandOf(["sh", "-c", "redis-cli ping"]).slice(1), expected);
  assert.deepEqual(found.commandOf(["sh", "-c", "redis-cli ping | grep PONG"]).slice(1), [
    "-c",
    "redis-cli ping | grep PONG",
  ]);
});

test("a script that starts the engine cannot take it from the pod's address and port", async (t) => {
  const stage = await startSetupStage(t);
  const programs = { engine: ["/bin/echo", "it's", "the engine"] };
  const setups = await stage.setups({ addresses: "shared", programs });
  const script = 'cd /; for i in 1; do llama-server "--a b" --host 0.0.0.0 --port 18080; done';
  const { image, ports } = server;
  const pod = await stage.pod("p", { image, command: ["sh", "-c", script], ports });
  const launch = await launchOf(setups, pod);
  const expected = `it's the engine --a b --host 0.0.0.0 --port 18080 --host 127.0.0.1 --port ${launch.ports.get(18080)}\n`;
  assert.equal(await outputOf(launch), expected);
});
