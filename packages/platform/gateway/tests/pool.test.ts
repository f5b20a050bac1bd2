import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { PassThrough, type Readable } from "node:stream";
import { after, before, beforeEach, describe, it } from "node:test";
import type { Clock } from "@trivium/runtime";
import type { ResponseControl, UpstreamRequest } from "../src/upstream/http/connection.ts";
import { Pool } from "../src/upstream/http/pool.ts";
import { UnsendableRequest } from "../src/upstream/http/request-head.ts";
import { until } from "./fixture.ts";

/** A clock that stands still until it is moved. */
class ManualClock implements Clock {
  #now = 0;
  readonly #timers = new Set<{ at: number; run: () => void }>();

  now = () => this.#now;
  elapsed = () => this.#now;

  schedule(delay: number, run: () => void) {
    const timer = { at: this.#now + delay, run };
    this.#timers.add(timer);
    return () => void this.#timers.delete(timer);
  }

  move(by: number): void {
    this.#now += by;
    for (const timer of [...this.#timers]) {
      if (timer.at > this.#now || !this.#timers.delete(timer)) continue;
      timer.run();
    }
  }

  get waiting(): number {
    return this.#timers.size;
  }
}

const ok = (body: string, more = "") =>
  `HTTP/1.1 200 OK\r\ncontent-length: ${Buffer.byteLength(body)}\r\n${more}\r\n${body}`;

describe("the connections to a replica", () => {
  let server: Server;
  let port = 0;
  const sockets: Socket[] = [];
  let received = "";
  let answer: (socket: Socket, piece: string) => void;

  before(async () => {
    server = createServer((socket) => {
      sockets.push(socket);
      socket.on("error", () => {});
      socket.on("data", (piece) => {
        received += piece.toString("latin1");
        answer(socket, piece.toString("latin1"));
      });
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    ({ port } = server.address() as AddressInfo);
  });
  beforeEach(() => {
    for (const socket of sockets.splice(0)) socket.destroy();
    received = "";
    answer = (socket) => socket.write(ok("hi"));
  });
  after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });

  const open = (clock: Clock = new ManualClock()) => new Pool(`127.0.0.1:${port}`, { clock, connectTimeout: 3_000 });
  const request = (body: Buffer | Readable | null = null, headers: string[] = []): UpstreamRequest => ({
    method: body === null ? "GET" : "POST",
    path: "/x",
    headers: ["host", "a", ...headers],
    body,
  });
  /** One exchange; what happens in it can be followed through `events`. */
  const ask = (pool: Pool, asked = request(), onStart?: (control: ResponseControl) => void) => {
    const events: string[] = [];
    const done = new Promise<string>((resolve, reject) => {
      const pieces: Buffer[] = [];
      pool.dispatch(asked, {
        onRequestStart: (control) => {
          events.push("start");
          onStart?.(control);
        },
        onResponseStart: ({ status }) => events.push(`${status}`),
        onResponseData: (piece) => pieces.push(piece),
        onResponseEnd: () => resolve(Buffer.concat(pieces).toString("latin1")),
        onResponseError: reject,
      });
    });
    return { events, done };
  };

  it("serve one request after the other over the same one, and as many at once as there are requests", async () => {
    const pool = open();
    for (let round = 0; round < 5; round += 1) assert.equal(await ask(pool).done, "hi");
    assert.equal(sockets.length, 1);
    await Promise.all([ask(pool).done, ask(pool).done, ask(pool).done]);
    assert.equal(sockets.length, 3);
    pool.destroy();
  });

  it("end when nobody used them in time, and are not used past it", async () => {
    const clock = new ManualClock();
    const pool = open(clock);
    await ask(pool).done;
    clock.move(5_000);
    await until(() => sockets[0]?.destroyed === true, "the first is closed");
    assert.equal(clock.waiting, 0);
    assert.equal(await ask(pool).done, "hi");
    assert.equal(sockets.length, 2);
    pool.destroy();
    assert.equal(clock.waiting, 0);
  });

  for (const [name, bytes] of [
    ["says that it closes", ok("hi", "connection: close\r\n")],
    ["sends more than its response", `${ok("hi")}HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nevil`],
    ["ends its response with the connection", "HTTP/1.1 200 OK\r\n\r\nhi"],
  ] as const) {
    it(`are not used again when the server ${name}`, async () => {
      const pool = open();
      answer = (socket) => socket.end(bytes);
      assert.equal(await ask(pool).done, "hi");
      assert.equal(await ask(pool).done, "hi");
      assert.equal(sockets.length, 2);
      pool.destroy();
    });
  }

  it("are dropped when a server speaks without being asked", async () => {
    const pool = open();
    await ask(pool).done;
    sockets[0]?.write(ok("evil"));
    await until(() => sockets[0]?.destroyed === true, "it is closed");
    assert.equal(await ask(pool).done, "hi");
    assert.equal(sockets.length, 2);
    pool.destroy();
  });

  it("report what happened before and after the request was written", async () => {
    const closed = createServer().listen(0, "127.0.0.1");
    await once(closed, "listening");
    const dead = (closed.address() as AddressInfo).port;
    await new Promise((resolve) => closed.close(resolve));
    const refused = ask(new Pool(`127.0.0.1:${dead}`, { clock: new ManualClock(), connectTimeout: 3_000 }));
    await assert.rejects(refused.done, { code: "ECONNREFUSED" });
    assert.deepEqual(refused.events, []);
    answer = (socket) => socket.destroy();
    const dropped = ask(open());
    await assert.rejects(dropped.done);
    assert.deepEqual(dropped.events, ["start"]);
    answer = (socket) => socket.end("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhi");
    const short = ask(open());
    await assert.rejects(short.done, /the server closed the connection/);
    assert.deepEqual(short.events, ["start", "200"]);
  });

  it("give up connecting in time, and leave no timer", async () => {
    const clock = new ManualClock();
    const silent = createServer().listen(0, "127.0.0.1");
    await once(silent, "listening");
    const { port: unanswered } = silent.address() as AddressInfo;
    const pool = new Pool(`127.0.0.1:${unanswered}`, { clock, connectTimeout: 3_000 });
    const { done, events } = ask(pool);
    // The connection cannot be reported before this turn of the event loop is over.
    clock.move(3_000);
    await assert.rejects(done, /connect timeout/);
    await new Promise((resolve) => silent.close(resolve));
    assert.deepEqual([events, clock.waiting], [[], 0]);
  });

  it("write a body whole, large ones too, and its length", async () => {
    const pool = open();
    for (const size of [0, 1, 20_000, 3_000_000]) {
      received = "";
      const body = Buffer.alloc(size, 0xe4);
      answer = (socket) => {
        const at = received.indexOf("\r\n\r\n");
        if (at !== -1 && received.length === at + 4 + size) socket.write(ok("got it"));
      };
      assert.equal(await ask(pool, request(body)).done, "got it");
      assert.equal(received.slice(received.indexOf("\r\n\r\n") + 4), body.toString("latin1"));
      assert.match(
        received,
        new RegExp(`^POST /x HTTP/1.1\r\nhost: a\r\ncontent-length: ${size}\r\nconnection: keep-alive\r\n\r\n`),
      );
    }
    assert.equal(sockets.length, 1);
    pool.destroy();
  });

  it("pass a body on as it arrives: in chunks, or as long as announced", async () => {
    const pool = open();
    answer = (socket) => (received.endsWith("0\r\n\r\n") ? socket.write(ok("1")) : undefined);
    const body = new PassThrough();
    const chunked = ask(pool, request(body));
    body.write("hello");
    await until(() => received.endsWith("5\r\nhello\r\n"), "the first piece has arrived");
    body.end(" you");
    assert.equal(await chunked.done, "1");
    assert.match(
      received,
      /transfer-encoding: chunked\r\nconnection: keep-alive\r\n\r\n5\r\nhello\r\n4\r\n you\r\n0\r\n\r\n$/,
    );
    received = "";
    answer = (socket) => (received.endsWith("world") ? socket.write(ok("2")) : undefined);
    const plain = new PassThrough();
    const announced = ask(pool, request(plain, ["Content-Length", "5"]));
    plain.end("world");
    assert.equal(await announced.done, "2");
    assert.equal(received, "POST /x HTTP/1.1\r\nhost: a\r\nContent-Length: 5\r\nconnection: keep-alive\r\n\r\nworld");
    assert.equal(sockets.length, 1);
    pool.destroy();
  });

  it("are closed when the server answers before it has the whole body", async () => {
    const pool = open();
    const body = new PassThrough();
    body.write("part");
    assert.equal(await ask(pool, request(body)).done, "hi");
    await until(() => sockets[0]?.destroyed === true, "it is closed");
    body.end("rest that nobody reads");
    await once(body, "close");
    pool.destroy();
  });

  it("are not used again while a whole body is not written, though its response has come", async () => {
    const pool = open();
    answer = (socket) => {
      socket.pause();
      socket.write("HTTP/1.1 413 Too Large\r\ncontent-length: 2\r\n\r\nno");
    };
    // More than the kernel takes for a server that does not read.
    assert.equal(await ask(pool, request(Buffer.alloc(64 * 1024 * 1024))).done, "no");
    answer = (socket) => socket.write(ok("hi"));
    assert.equal(await ask(pool).done, "hi");
    assert.equal(sockets.length, 2);
    assert.equal(await ask(pool).done, "hi");
    assert.equal(sockets.length, 2);
    pool.destroy();
  });

  it("fail when the body breaks off", async () => {
    answer = () => {};
    const pool = open();
    const body = new PassThrough();
    const { done } = ask(pool, request(body));
    body.write("part");
    await until(() => received.includes("part"), "it has arrived");
    body.destroy();
    await assert.rejects(done, /the request body broke off/);
    await until(() => sockets[0]?.destroyed === true, "the server sees it");
  });

  it("read no faster than they are asked to, and lose nothing", async () => {
    const pool = open();
    const size = 32 * 1024 * 1024;
    let written = 0;
    answer = (socket) => {
      socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${size}\r\n\r\n`);
      const push = (): void => {
        while (written < size) {
          written += 65_536;
          if (!socket.write(Buffer.alloc(65_536, 0x78))) return void socket.once("drain", push);
        }
      };
      push();
    };
    let control: ResponseControl | undefined;
    let arrived = 0;
    const done = new Promise<void>((resolve, reject) => {
      pool.dispatch(request(), {
        onRequestStart: (started) => {
          control = started;
        },
        onResponseStart: () => {},
        onResponseData: (piece) => {
          arrived += piece.length;
          control?.pause();
          setImmediate(() => control?.resume());
        },
        onResponseEnd: resolve,
        onResponseError: reject,
      });
    });
    await until(() => arrived > 0, "it begins");
    await done;
    assert.equal(arrived, size);
    answer = (socket) => socket.write(ok("hi"));
    assert.equal(await ask(pool).done, "hi");
    assert.equal(sockets.length, 1);
    pool.destroy();
  });

  it("end with an abort, after which nothing is called", async () => {
    answer = (socket) => socket.write("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\npart");
    const pool = open();
    let control: ResponseControl | undefined;
    const { events } = ask(pool, request(), (started) => {
      control = started;
    });
    await until(() => events.includes("200"), "it has begun");
    control?.abort();
    await until(() => sockets[0]?.destroyed === true, "the server sees it");
    assert.deepEqual(events, ["start", "200"]);
    pool.destroy();
  });

  it("send nothing that would be read as another request", async () => {
    const pool = open();
    for (const [path, headers] of [
      ["/a b", []],
      ["/a\r\nx: y", []],
      ["/", ["x-a", "1\r\nx-b: 2"]],
      ["/", ["x a", "1"]],
      ["/", ["x-a", "日本"]],
    ] as [string, string[]][]) {
      received = "";
      await assert.rejects(ask(pool, { ...request(null, headers), path }).done, UnsendableRequest);
      assert.equal(received, "");
    }
    pool.destroy();
  });
});
