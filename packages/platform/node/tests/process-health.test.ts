import assert from "node:assert/strict";
import { createServer, type Server } from "node:http";
import { createServer as createHttp2 } from "node:http2";
import type { AddressInfo } from "node:net";
import { describe, type TestContext, test } from "node:test";
import { eventually, isReady, mark, startProcessStage, stateOf } from "./process-stage.ts";

async function serve(
  t: TestContext,
  answer: Parameters<typeof createServer>[1],
): Promise<{ server: Server; port: number }> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => server.close());
  return { server, port: (server.address() as AddressInfo).port };
}

const quick = { periodSeconds: 1, failureThreshold: 1, timeoutSeconds: 1 };
const sleeps = `exec sleep ${mark(71)}`;

// Most of their time is waiting, and each has a node of its own.
describe("probes and hooks", { concurrency: true }, () => {
  test("readiness follows an HTTP probe with its headers, and says why not in a kubelet's words", async (t) => {
    const stage = await startProcessStage(t);
    await stage.agent();
    let code = 503;
    const asked: string[] = [];
    const { port } = await serve(t, (request, response) => {
      asked.push(`${request.url} ${request.headers["user-agent"]} ${request.headers["x-key"]}`);
      response.writeHead(code).end("secret body");
    });
    const httpGet = { path: "/ready?x=1", port: "web", httpHeaders: [{ name: "X-Key", value: "7" }] };
    const readinessProbe = { ...quick, httpGet };
    await stage.create("web", sleeps, {}, { ports: [{ name: "web", containerPort: port }], readinessProbe });
    const reported = "Unhealthy: Readiness probe failed: HTTP probe failed with statuscode: 503";
    await eventually(async () => (await stage.events("web")).includes(reported), reported);
    const pod = await stage.get("web");
    assert.deepEqual([pod?.status?.phase, pod !== undefined && isReady(pod)], ["Running", false]);
    code = 204;
    await stage.until("web", isReady);
    assert.equal(asked[0], "/ready?x=1 kube-probe/1.36 7");
    code = 500;
    await stage.until("web", (observed) => !isReady(observed));
    assert.equal(stateOf((await stage.get("web")) ?? assert.fail())?.restartCount, 0, "readiness does not restart");
  });

  test("a failing liveness probe ends and restarts its container, after the startup probe let it begin", async (t) => {
    const stage = await startProcessStage(t);
    await stage.agent();
    // On a busy machine even a shell needs a while, and a probe that ran out of time says so instead.
    const patient = { timeoutSeconds: 10 };
    // Each probe says yes once and no once: the first only the second time, the other only the first time.
    const command = (text: string) => ({ command: ["sh", "-c", text] });
    await stage.create(
      "sick",
      sleeps,
      {},
      {
        startupProbe: {
          ...quick,
          ...patient,
          failureThreshold: 5,
          exec: command("[ -e tried ] || { touch tried; echo early; exit 1; }"),
        },
        livenessProbe: {
          ...quick,
          ...patient,
          exec: command("[ ! -e seen ] || { echo dead; exit 1; }; touch seen"),
          terminationGracePeriodSeconds: 1,
        },
      },
    );
    const pod = await stage.until("sick", (observed) => (stateOf(observed)?.restartCount ?? 0) >= 1);
    assert.equal(stateOf(pod)?.lastState?.terminated?.reason, "Error");
    const reported = await stage.events("sick");
    assert.ok(reported.includes("Unhealthy: Liveness probe failed: dead\n"), reported.join("\n"));
    assert.ok(reported.includes("Killing: Container main failed liveness probe, will be restarted"));
    assert.ok(reported.includes("Unhealthy: Startup probe failed: early\n"), reported.join("\n"));
  });

  test("a container that never starts is ended by its startup probe, and stays failed where it is not restarted", async (t) => {
    const stage = await startProcessStage(t);
    await stage.agent();
    const startupProbe = { ...quick, tcpSocket: { port: 1 }, terminationGracePeriodSeconds: 1 };
    await stage.create("never", sleeps, { restartPolicy: "Never" }, { startupProbe });
    await stage.until("never", ({ status }) => status?.phase === "Failed");
    const reported = await stage.events("never");
    assert.ok(
      reported.includes("Unhealthy: Startup probe failed: dial tcp 127.0.0.1:1: connect: connection refused"),
      reported.join("\n"),
    );
    assert.ok(reported.includes("Killing: Container main failed startup probe"));
  });

  test("probes that hang, that cannot be asked, and gRPC", async (t) => {
    const stage = await startProcessStage(t);
    await stage.agent();
    const { port } = await serve(t, () => undefined);
    const grpc = createHttp2();
    grpc.on("stream", (stream, headers) => {
      const body = Buffer.from([0, 0, 0, 0, 2, 8, headers[":path"] === "/grpc.health.v1.Health/Check" ? 1 : 2]);
      stream.respond({ ":status": 200, "content-type": "application/grpc" }, { waitForTrailers: true });
      stream.on("wantTrailers", () => stream.sendTrailers({ "grpc-status": "0" }));
      stream.end(body);
    });
    await new Promise<void>((resolve) => grpc.listen(0, "127.0.0.1", resolve));
    t.after(() => grpc.close());
    const grpcPort = (grpc.address() as AddressInfo).port;
    await stage.create("mute", sleeps, {}, { readinessProbe: { ...quick, httpGet: { port, path: "/" } } });
    await stage.create("slow", sleeps, {}, { readinessProbe: { ...quick, exec: { command: ["sleep", mark(72)] } } });
    await stage.create("odd", sleeps, {}, { readinessProbe: { ...quick, exec: { command: ["no-such-program"] } } });
    await stage.create(
      "rpc",
      sleeps,
      {},
      { readinessProbe: { ...quick, grpc: { port: grpcPort, service: "models" } } },
    );
    const reported = async (name: string, text: string) =>
      await eventually(async () => (await stage.events(name)).some((line) => line.includes(text)), `${name}: ${text}`);
    await reported(
      "mute",
      `Get "http://127.0.0.1:${port}/": context deadline exceeded (Client.Timeout exceeded while awaiting headers)`,
    );
    await reported("slow", `Readiness probe failed: command timed out: "sleep ${mark(72)}" timed out after 1s`);
    await reported(
      "odd",
      'Readiness probe errored and resulted in unknown state: exec: "no-such-program": executable file not found',
    );
    await stage.until("rpc", isReady);
  });

  test("hooks: postStart comes before running, preStop before the request to end, and a failing one is told", async (t) => {
    const stage = await startProcessStage(t);
    await stage.agent();
    const script = `trap 'echo asked; exit 0' TERM; while ! [ -e begun ]; do sleep 0.01; done; echo begun; sleep ${mark(73)} & wait`;
    const exec = (text: string) => ({ exec: { command: ["sh", "-c", text] } });
    await stage.create(
      "hooked",
      script,
      {},
      {
        lifecycle: {
          postStart: exec("sleep 0.2; touch begun"),
          preStop: exec(`echo stop > /proc/$(pgrep -of ${mark(73)})/fd/1 || true`),
        },
      },
    );
    await stage.until("hooked", isReady);
    const following = stage.log("hooked", { follow: true });
    await eventually(async () => (await stage.log("hooked")).includes("begun"), "the hook let it begin");
    await stage.delete("hooked", 10);
    await stage.untilGone("hooked");
    const lines = await following;
    assert.equal(lines[0], "begun");
    assert.equal(lines.at(-1), "asked");
    await stage.create(
      "unhooked",
      sleeps,
      { restartPolicy: "Never", terminationGracePeriodSeconds: 1 },
      {
        lifecycle: { postStart: exec("echo secret; exit 1") },
      },
    );
    await stage.until("unhooked", ({ status }) => status?.phase === "Failed");
    const reported = await stage.events("unhooked");
    assert.ok(reported.includes("FailedPostStartHook: PostStartHook failed"), reported.join("\n"));
    assert.ok(!reported.join().includes("secret"));
  });

  test("a preStop hook that takes too long does not keep its container", async (t) => {
    const stage = await startProcessStage(t);
    await stage.agent();
    await stage.create("late", sleeps, {}, { lifecycle: { preStop: { exec: { command: ["sleep", mark(74)] } } } });
    await stage.until("late", isReady);
    await stage.delete("late", 1);
    await stage.untilGone("late");
  });
});
