import assert from "node:assert/strict";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { after, afterEach, before, beforeEach, describe, it } from "node:test";
import { Gateway, GatewayClass, HTTPRoute } from "@trivium/kube";
import { createRuntime } from "@trivium/runtime";
import { FakeClock } from "@trivium/testkit";
import type { Outgoing } from "../src/http/forward.ts";
import { mirror } from "../src/http/mirror.ts";
import { gatewayReconcilers, gatewayRef, localGatewayObjects } from "../src/index.ts";
import { Metrics } from "../src/metrics.ts";
import { Target } from "../src/upstream/target.ts";
import { Upstream } from "../src/upstream/upstream.ts";
import { addService, startFixture, startModel, until } from "./fixture.ts";

describe("copies of requests", () => {
  /** A server that takes connections and, unless told to, never answers. */
  const open = new Set<Socket>();
  let received = 0;
  const server = createServer((socket) => {
    open.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => open.delete(socket));
    socket.on("data", () => {
      received += 1;
    });
  });
  const portOf = () => (server.address() as AddressInfo).port;
  before(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve)));
  beforeEach(() => {
    received = 0;
  });
  afterEach(async () => {
    for (const socket of open) socket.destroy();
    await until(() => open.size === 0, "all connections are closed");
  });
  after(() => server.close());

  const begin = () => {
    const clock = new FakeClock();
    const metrics = new Metrics(() => 0);
    const target = new Target({ namespace: "default", service: "copy", port: 80 });
    const upstream = new Upstream(`127.0.0.1:${portOf()}`, { clock, connectTimeout: 60_000 });
    target.upstreams = [upstream];
    const send = (more: Partial<Outgoing> = {}) => {
      const outgoing: Outgoing = {
        method: "POST",
        path: "/",
        headers: ["host", "a"],
        body: Buffer.from("{}"),
        isRepeatable: false,
        wantsEvents: false,
        isModelCall: false,
        ...more,
      };
      mirror({ backendRef: { name: "copy", port: 80 } }, target, outgoing, { clock, metrics, random: () => 0 });
    };
    const counted = async (reason: string) =>
      Number(new RegExp(`reason="${reason}"\\} (\\d+)`).exec(await metrics.registry.metrics())?.[1] ?? 0);
    return { clock, target, upstream, send, counted };
  };

  for (const [what, timeouts, limit] of [
    ["30 s without a timeout of the route", {}, 30_000],
    ["the timeout of the route", { timeout: 45_000 }, 45_000],
    ["the timeout of the route for a backend", { timeout: 45_000, tryTimeout: 10_000 }, 10_000],
  ] as const) {
    it(`without a response end after ${what}`, async () => {
      const { clock, target, upstream, send, counted } = begin();
      send(timeouts);
      await until(() => received === 1, "the copy has arrived");
      await clock.advance(limit - 1);
      assert.deepEqual([target.mirrors, upstream.outstanding, open.size], [1, 1, 1]);
      await clock.advance(1);
      await until(() => open.size === 0, "its connection is closed");
      assert.deepEqual([target.mirrors, upstream.outstanding, await counted("mirror_timeout")], [0, 0, 1]);
    });
  }

  it("that could not be sent in time are not sent later", async () => {
    const { clock, target, upstream, send } = begin();
    const connected = new Promise<Socket>((resolve) => server.once("connection", resolve));
    send();
    // The connection cannot be reported before this turn of the event loop is over.
    void clock.advance(30_000, async () => {});
    await connected;
    await until(() => target.mirrors === 0 && open.size === 0, "the connection is closed");
    assert.deepEqual([received, upstream.outstanding], [0, 0]);
  });

  it("with a response leave no timer, and their connection to the next one", async () => {
    const { clock, target, upstream, send } = begin();
    for (let round = 1; round <= 2; round += 1) {
      send();
      await until(() => received === round, "the copy has arrived");
      for (const socket of open) socket.write("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok");
      await until(() => target.mirrors === 0, "it is over");
      assert.deepEqual([upstream.outstanding, open.size, clock.untilNext()], [0, 1, undefined]);
    }
    upstream.destroy();
  });

  it("are dropped and counted when 100 are in flight to one Service", async () => {
    const { target, upstream, send, counted } = begin();
    for (let count = 0; count < 130; count += 1) send();
    await until(() => received === 100, "they have arrived");
    assert.deepEqual([target.mirrors, upstream.outstanding, await counted("mirror_dropped")], [100, 100, 30]);
    upstream.destroy();
    await until(() => target.mirrors === 0 && open.size === 0, "all are over");
    assert.equal(upstream.outstanding, 0);
    send();
    await until(() => received === 101, "the next one is sent");
    upstream.destroy();
  });

  it("of a route end with its timeout", async () => {
    const model = await startModel((_, response) => response.end("ok"));
    const fixture = await startFixture({
      before: async (client) => {
        const { gatewayClass, gateway } = localGatewayObjects(8080);
        await client.create(GatewayClass, gatewayClass);
        await client.create(Gateway, gateway);
        await addService(client, "demo", [model.port], { portName: "web" });
        await addService(client, "copy", [portOf()], { portName: "web", annotations: { "trivium.dev/models": "" } });
        await client.create(HTTPRoute, {
          apiVersion: "gateway.networking.k8s.io/v1",
          kind: "HTTPRoute",
          metadata: { name: "mirrored", namespace: "default" },
          spec: {
            parentRefs: [{ ...gatewayRef }],
            rules: [
              {
                matches: [{ path: { type: "PathPrefix", value: "/mirrored" } }],
                filters: [{ type: "RequestMirror", requestMirror: { backendRef: { name: "copy", port: 80 } } }],
                timeouts: { request: "500ms" },
                backendRefs: [{ name: "demo", port: 80 }],
              },
            ],
          },
        });
      },
    });
    const runtime = createRuntime({
      client: fixture.client,
      reconcilers: gatewayReconcilers({ address: "127.0.0.1" }),
    });
    await runtime.start();
    try {
      await until(async () => {
        await (await fetch(`${fixture.gateway.url}/mirrored`, { method: "POST", body: "{}" })).text();
        return received > 0;
      }, "a copy has arrived");
      await until(() => open.size === 0, "its connection is closed");
      const metrics = await fixture.gateway.metrics.registry.metrics();
      assert.match(metrics, /errors_total\{model="default\/copy",reason="mirror_timeout"\} [1-9]/);
    } finally {
      await runtime.stop();
      await fixture.close();
      await model.close();
    }
  });
});
