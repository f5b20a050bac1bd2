import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { until } from "@trivium/testkit";
import { identity, json, serving } from "./serving.ts";

describe("strangers on the socket", () => {
  it("garbage, half requests and silence neither hang nor hurt", async () => {
    await using served = await serving(async () => json({}), {
      handshakeTime: 1_000,
      headerTime: 1_000,
      requestTime: 1_500,
    });
    const { port, host } = served.server;
    const noise = connect(port, host);
    noise.on("error", () => {});
    noise.write("GET / HTTP/1.1\r\n\r\n");
    const silent = connect(port, host);
    silent.on("error", () => {});
    const garbage = await served.socket();
    garbage.write(Buffer.from([0, 1, 2, 3, 255, 254, 13, 10, 13, 10]));
    const slow = await served.socket();
    slow.write("POST /api HTTP/1.1\r\nHost: x\r\n");
    const half = await served.socket();
    half.write(
      `POST /api HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${identity.token}\r\nContent-Length: 100\r\n\r\n{`,
    );
    const all = [noise, silent, garbage, slow, half].map((socket) => {
      socket.resume();
      return socket.closed ? undefined : once(socket, "close");
    });
    const closed = await Promise.race([Promise.all(all).then(() => true), sleep(90_000, false, { ref: false })]);
    assert.ok(closed, "a stranger is still connected");
    assert.equal((await served.ask("/healthz")).body, "ok");
  });

  it("endless headers are refused", async () => {
    await using served = await serving(async () => json({}), { headerBytes: 4096 });
    const answer = await served.ask("/api", { headers: { "x-long": "y".repeat(10_000) } });
    assert.equal(answer.status, 431);
    assert.equal((await served.ask("/healthz")).status, 200);
  });

  it("more connections than allowed are turned away, and welcome again later", async () => {
    await using served = await serving(async () => json({}), { connections: 2 });
    const [one, two] = [await served.socket(), await served.socket()];
    await assert.rejects(served.ask("/healthz"));
    one.destroy();
    two.destroy();
    await until(() => one.closed && two.closed, "sockets stay open");
    // The server hears of it a little later.
    await until(async () => (await served.ask("/healthz").catch(() => undefined))?.status === 200);
  });
});
