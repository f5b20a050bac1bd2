import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { TLSSocket } from "node:tls";
import { identity, json, serving } from "./serving.ts";

/** Everything a socket says until it is closed. */
async function reportedBy(socket: TLSSocket): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of socket as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}

function statusIn(answer: string): { line: string; code: number; reason: string; message: string } {
  const [head = "", body = ""] = answer.split("\r\n\r\n");
  return { line: head.split("\r\n")[0], ...JSON.parse(body) };
}

const auth = () => `Authorization: Bearer ${identity.token}\r\n`;

describe("what never becomes a request is answered, not only cut off", () => {
  it("headers that are too long: 431, also where more is still being sent", async () => {
    await using served = await serving(async () => json({}), { headerBytes: 4096 });
    for (const length of [10_000, 3_000_000]) {
      const socket = await served.socket();
      socket.write(`GET /api HTTP/1.1\r\nHost: x\r\nX-Long: ${"y".repeat(length)}\r\n\r\n`);
      const { line, code, message } = statusIn(await reportedBy(socket));
      assert.deepEqual([line, code], ["HTTP/1.1 431 Request Header Fields Too Large", 431]);
      assert.equal(
        message,
        "Request header fields too large: request line and headers must be below 4096 bytes together",
      );
    }
  });

  it("a path that is too long", async () => {
    await using served = await serving(async () => json({}));
    const socket = await served.socket();
    socket.write(`GET /api/${"y".repeat(100_000)} HTTP/1.1\r\nHost: x\r\n${auth()}\r\n`);
    assert.equal(statusIn(await reportedBy(socket)).code, 431);
  });

  it("what is not HTTP", async () => {
    await using served = await serving(async () => json({}));
    for (const bytes of [
      "\u0000\u0001\r\n\r\n",
      "GET\r\n\r\n",
      "GET / HTTP/9.9\r\nHost: x\r\n\r\n",
      "get / http/1.1\r\n\r\n",
      "GET / HTTP/1.1\r\nHost: x\r\nBad Header: 1\r\n\r\n",
      "GET / HTTP/1.1\r\nHost: x\r\n folded: 1\r\n\r\n",
    ]) {
      const socket = await served.socket();
      socket.write(bytes);
      const { code, reason, message } = statusIn(await reportedBy(socket));
      assert.deepEqual([code, reason, message], [400, "BadRequest", "The request is not valid HTTP/1.1"], bytes);
    }
  });

  it("a request with two lengths, or a length and chunks, is refused and nothing behind it is read", async () => {
    const paths: string[] = [];
    await using served = await serving(async (request) => {
      paths.push(request.path);
      return json({});
    });
    const hidden = `GET /hidden HTTP/1.1\r\nHost: x\r\n${auth()}\r\n`;
    for (const lengths of [
      "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n",
      "Content-Length: 4\r\nContent-Length: 5\r\n",
      "Content-Length: +4\r\n",
      "Content-Length: 4, 4\r\n",
      "Transfer-Encoding: chunked, identity\r\n",
      "Transfer-Encoding : chunked\r\n",
      "Transfer-Encoding: xchunked\r\n",
      "Content-Length: 0x4\r\n",
    ]) {
      const socket = await served.socket();
      socket.write(`POST /shown HTTP/1.1\r\nHost: x\r\n${auth()}${lengths}\r\n0\r\n\r\n${hidden}`);
      const reported = await reportedBy(socket);
      assert.match(reported, /^HTTP\/1\.1 400 /, lengths);
      assert.equal(reported.match(/HTTP\/1\.1 /g)?.length, 1, lengths);
    }
    assert.ok(!paths.includes("/hidden"), paths.join());
  });

  it("CONNECT: 405; an upgrade is an ordinary request", async () => {
    await using served = await serving(async () => json({ plain: true }));
    const connect = await served.socket();
    connect.write(`CONNECT 127.0.0.1:22 HTTP/1.1\r\nHost: x\r\n${auth()}\r\n`);
    assert.equal(statusIn(await reportedBy(connect)).code, 405);
    const headers = { connection: "Upgrade", upgrade: "websocket" };
    assert.equal((await served.ask("/api", { headers })).body, '{"plain":true}');
  });

  it("a request that does not arrive in time: 408", async () => {
    await using served = await serving(async () => json({}), { headerTime: 200, requestTime: 400 });
    const half = await served.socket();
    half.write("GET /api HTTP/1.1\r\nHost: x\r\n");
    assert.equal(statusIn(await reportedBy(half)).code, 408);
    assert.equal((await served.ask("/healthz")).body, "ok");
  });
});
