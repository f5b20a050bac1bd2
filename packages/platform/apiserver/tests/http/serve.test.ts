import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { Agent } from "node:https";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { ApiError, type ApiRequest, type ApiResponse } from "@trivium/kube";
import { issueCertificate } from "../../src/http/certificate.ts";
import {
  type Limits,
  loadOrCreateIdentity,
  type RunningServer,
  type ServerIdentity,
  serveHttps,
} from "../../src/http/index.ts";
import type { Identity } from "../../src/identity.ts";
import { clientOf } from "./client.ts";

type Answering = (request: ApiRequest, identity: Identity) => Promise<ApiResponse>;

let directory = "";
let identity: ServerIdentity;
before(async () => {
  directory = await mkdtemp(join(tmpdir(), "trivium-https-"));
  identity = await loadOrCreateIdentity(directory);
});
after(() => rm(directory, { recursive: true, force: true }));

const reports: string[] = [];

/** A server around one function, closed when the test ends. */
async function serving(answering: Answering, limits: Partial<Limits> = {}) {
  const api = { transport: (who: Identity) => (request: ApiRequest) => answering(request, who) };
  const server: RunningServer = await serveHttps(api, {
    identity,
    limits: { closeTime: 500, ...limits },
    tokens: (token) => (token === "robots-token" ? { user: "robot", groups: ["robots"] } : undefined),
    report: (what) => reports.push(what),
  });
  return { server, ...clientOf(server, identity), [Symbol.asyncDispose]: () => server.close() };
}

const json = (value: unknown): ApiResponse => ({
  status: 200,
  headers: { "content-type": "application/json" },
  body: JSON.stringify(value),
});
const whoAmI: Answering = async (_request, who) => json(who);

describe("who may come in", () => {
  it("the administrator by token, another by its own, a client by certificate", async () => {
    await using served = await serving(whoAmI);
    assert.equal(JSON.parse((await served.ask("/api")).body).user, "trivium-admin");
    const robot = await served.ask("/api", { as: { token: "robots-token" } });
    assert.deepEqual(JSON.parse(robot.body), { user: "robot", groups: ["robots"] });
    const byCertificate = await served.ask("/api", { as: identity.admin });
    assert.deepEqual(JSON.parse(byCertificate.body), {
      user: "trivium-admin",
      groups: ["system:masters", "system:authenticated"],
    });
  });

  it("nobody without a credential, with a wrong one, or with a certificate that somebody else signed", async () => {
    await using served = await serving(whoAmI);
    const now = new Date();
    const stranger = issueCertificate({ commonName: "ca", use: { is: "authority" }, days: 9, now });
    const forged = issueCertificate(
      { commonName: "trivium-admin", organizations: ["system:masters"], use: { is: "client" }, days: 9, now },
      stranger,
    );
    const selfSigned = issueCertificate({ commonName: "trivium-admin", use: { is: "client" }, days: 9, now });
    const attempts = ["nobody", { token: "wrong" }, { token: `${identity.token}x` }, forged, selfSigned] as const;
    for (const as of attempts) {
      const answer = await served.ask("/api/v1/pods", { as });
      assert.equal(answer.status, 401);
      assert.deepEqual(JSON.parse(answer.body), {
        kind: "Status",
        apiVersion: "v1",
        metadata: {},
        status: "Failure",
        message: "Unauthorized",
        reason: "Unauthorized",
        code: 401,
      });
    }
    const basic = await served.ask("/api", { as: "nobody", headers: { authorization: "Basic YTpi" } });
    assert.equal(basic.status, 401);
  });

  it("anybody for health and version, and only for them", async () => {
    await using served = await serving(whoAmI);
    for (const path of ["/healthz", "/livez", "/readyz", "/readyz?verbose", "/version"]) {
      assert.equal((await served.ask(path, { as: "nobody" })).status, 200, path);
    }
    assert.equal((await served.ask("/healthz", { as: "nobody", method: "POST" })).status, 401);
    assert.equal((await served.ask("/metrics", { as: "nobody" })).status, 401);
  });

  it("whom a caller asks to act as", async () => {
    await using served = await serving(whoAmI);
    const answer = await served.ask("/api", { headers: { "impersonate-user": "jane", "impersonate-group": "dev" } });
    assert.deepEqual(JSON.parse(answer.body), { user: "jane", groups: ["dev", "system:authenticated"] });
  });

  it("without its credential being passed on", async () => {
    await using served = await serving(async (request) => json(request.headers));
    assert.ok(!(await served.ask("/api")).body.includes(identity.token));
  });
});

describe("an answer", () => {
  it("has a length, an audit id and no caching", async () => {
    await using served = await serving(async () => json({ text: "größer" }));
    const { headers, body } = await served.ask("/api");
    assert.equal(Number(headers["content-length"]), Buffer.byteLength(body));
    assert.match(headers["audit-id"] as string, /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    assert.equal(headers["cache-control"], "no-cache, private");
  });

  it("is indented for people", async () => {
    await using served = await serving(async () => json({ a: 1 }));
    assert.equal((await served.ask("/api", { headers: { "user-agent": "curl/8.5" } })).body, '{\n  "a": 1\n}');
    assert.equal((await served.ask("/api?pretty=true")).body, '{\n  "a": 1\n}');
    assert.equal((await served.ask("/api?pretty=false", { headers: { "user-agent": "curl/8.5" } })).body, '{"a":1}');
    assert.equal((await served.ask("/api")).body, '{"a":1}');
  });

  it("is a Status when the API refuses, and tells nothing of faults of our own", async () => {
    await using served = await serving(async (request) => {
      if (request.path === "/ours") throw new Error("secret detail");
      throw new ApiError({
        kind: "Status",
        apiVersion: "v1",
        metadata: {},
        status: "Failure",
        reason: "Gone",
        code: 410,
      });
    });
    assert.equal((await served.ask("/gone")).status, 410);
    const { status, body } = await served.ask("/ours");
    assert.equal(status, 500);
    assert.ok(!body.includes("secret detail"));
    assert.equal(JSON.parse(body).reason, "InternalError");
    assert.equal(reports.at(-1), "GET /ours");
  });

  it("carries several warnings", async () => {
    const warning = ['299 - "one"', '299 - "two"'];
    await using served = await serving(async () => ({ status: 200, headers: { warning }, body: "" }));
    assert.equal((await served.ask("/api")).headers.warning, '299 - "one", 299 - "two"');
  });

  it("leaves the connection to the next request", async () => {
    await using served = await serving(async () => json({}));
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    for (let round = 0; round < 3; round++)
      assert.equal((await served.ask("/api", { agent, method: "POST", body: "{}" })).status, 200);
    assert.equal(Object.values(agent.freeSockets).flat().length, 1);
    agent.destroy();
  });
});

describe("a body", () => {
  it("that is too large is refused before and after it is sent, and the server lives", async () => {
    await using served = await serving(async (request) => json(request.body?.length), { bodyBytes: 1000 });
    const announced = await served.ask("/api", {
      method: "POST",
      headers: { "content-length": "1001" },
      body: "x".repeat(1001),
    });
    assert.equal(announced.status, 413);
    assert.equal(JSON.parse(announced.body).message, "Request entity too large: limit is 1000");
    assert.equal(JSON.parse(announced.body).reason, "RequestEntityTooLarge");
    const chunked = { method: "POST", headers: { "transfer-encoding": "chunked" } };
    assert.equal((await served.ask("/api", { ...chunked, body: "x".repeat(2000) })).status, 413);
    assert.equal((await served.ask("/api", { ...chunked, body: "x".repeat(1000) })).body, "1000");
  });

  it("that goes on after the refusal is taken in, so that the client can read why", async () => {
    await using served = await serving(async () => json({}), { bodyBytes: 1000 });
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const body = Buffer.alloc(20_000_000, "x");
    const asked = { agent, method: "POST", body };
    assert.equal((await served.ask("/api", { ...asked, headers: { "content-length": "20000000" } })).status, 413);
    assert.equal(
      (await served.ask("/api", { ...asked, as: "nobody", headers: { "transfer-encoding": "chunked" } })).status,
      401,
    );
    agent.destroy();
  });

  it("that never comes after the refusal costs its client the connection", async () => {
    await using served = await serving(async () => json({}), { lingerTime: 100 });
    const tls = await served.socket();
    tls.write("POST /api HTTP/1.1\r\nHost: x\r\nContent-Length: 3000000\r\n\r\n");
    const [head] = (await once(tls, "data")) as [Buffer];
    assert.match(head.toString(), /^HTTP\/1\.1 401 /);
    await once(tls, "close");
  });

  it("in protobuf reaches the API as JSON", async () => {
    await using served = await serving(async (request) => json([request.headers["content-type"], request.body]));
    const secret = "azhzAAoMCgJ2MRIGU2VjcmV0Eh0KEQoBcxIAGgAiACoAMgA4AEIAEgYKAWsSAXYaABoAIgA=";
    const headers = { "content-type": "application/vnd.kubernetes.protobuf" };
    const answer = await served.ask("/api", { method: "POST", headers, body: Buffer.from(secret, "base64") });
    const object = '{"apiVersion":"v1","kind":"Secret","metadata":{"name":"s"},"data":{"k":"dg=="}}';
    assert.deepEqual(JSON.parse(answer.body), ["application/json", object]);
    const broken = await served.ask("/api", { method: "POST", headers, body: "k8s\0\xff\xff" });
    assert.equal(broken.status, 400);
    assert.equal(JSON.parse(broken.body).reason, "BadRequest");
  });
});

/** A stream of lines that counts what was taken from it and notices its end. */
function counting(line: string, pace = 0) {
  const state = { taken: 0, ended: false, aborted: false };
  const body = async function* (signal: AbortSignal | undefined) {
    signal?.addEventListener("abort", () => {
      state.aborted = true;
    });
    try {
      while (signal?.aborted !== true) {
        state.taken++;
        yield line;
        if (pace > 0) await sleep(pace, undefined, { signal }).catch(() => {});
      }
    } finally {
      state.ended = true;
    }
  };
  const answering: Answering = async (request) => ({ status: 200, headers: {}, body: body(request.signal) });
  return { state, answering };
}

async function until(what: () => boolean, message: string): Promise<void> {
  for (let tries = 0; tries < 400; tries++) {
    if (what()) return;
    await sleep(10);
  }
  assert.fail(message);
}

describe("a stream", () => {
  it("arrives as it is made, and ends when its client goes", async () => {
    const { state, answering } = counting("event\n", 5);
    await using served = await serving(answering);
    const response = await served.open("/watch");
    const [chunk] = (await once(response, "data")) as [Buffer];
    assert.match(chunk.toString(), /^event\n/);
    response.destroy();
    await until(() => state.aborted && state.ended, "the source goes on after its client left");
  });

  it("waits for a slow client instead of piling up, and goes on when it reads again", async () => {
    const { state, answering } = counting("x".repeat(64 * 1024));
    await using served = await serving(answering);
    const response = await served.open("/watch");
    response.pause();
    await until(() => state.taken > 0, "nothing was sent");
    let before = -1;
    await until(() => {
      const isStill = state.taken === before;
      before = state.taken;
      return isStill;
    }, "the source is read although nobody drains it");
    assert.ok(state.taken < 400, `${state.taken} pieces of 64 KiB were taken for a client that reads nothing`);
    const still = state.taken;
    response.resume();
    await until(() => state.taken > still + 50, "the stream does not go on");
    response.destroy();
    await until(() => state.ended, "the source goes on");
  });

  it("lets go of a client that reads nothing for long", async () => {
    const { state, answering } = counting("x".repeat(64 * 1024));
    await using served = await serving(answering, { stallTime: 150 });
    const response = await served.open("/watch");
    response.on("error", () => {});
    response.pause();
    await until(() => state.ended && state.aborted, "a stalled client is kept");
    assert.equal((await served.ask("/healthz")).status, 200);
  });

  it("is not cut by any of the limits on requests", async () => {
    const { answering } = counting("event\n", 20);
    await using served = await serving(answering, { headerTime: 100, requestTime: 150, idleTime: 100 });
    const response = await served.open("/watch");
    let bytes = 0;
    response.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
    });
    await sleep(700);
    assert.ok(!response.destroyed && !response.complete);
    const soFar = bytes;
    await until(() => bytes > soFar, "the stream stopped");
    response.destroy();
  });

  it("ends cleanly when the server closes, even when its source is silent and deaf", async () => {
    const deaf: AsyncIterable<string> = {
      [Symbol.asyncIterator]: () => ({ next: () => new Promise<IteratorResult<string>>(() => {}) }),
    };
    const { server, open } = await serving(async () => ({ status: 200, headers: {}, body: deaf }), {
      closeTime: 60_000,
    });
    const response = await open("/watch");
    response.resume();
    const ended = once(response, "end");
    await Promise.all([server.close(), ended]);
    assert.ok(response.complete, "the client saw a whole answer, not a broken line");
  });

  it("that breaks breaks the line, so that the client does not take it for an end", async () => {
    const broken = async function* () {
      yield "one\n";
      throw new Error("disk on fire");
    };
    await using served = await serving(async () => ({ status: 200, headers: {}, body: broken() }));
    const response = await served.open("/watch");
    response.resume();
    const [error] = (await once(response, "error")) as [NodeJS.ErrnoException];
    assert.equal(error.code, "ECONNRESET");
    assert.equal(reports.at(-1), "GET /watch: the stream broke");
  });
});

describe("closing", () => {
  it("lets a request under way finish", async () => {
    const { server, ask } = await serving(async () => {
      await sleep(100);
      return json("done");
    });
    const asked = ask("/slow");
    await sleep(30);
    const [answer] = await Promise.all([asked, server.close()]);
    assert.equal(answer.body, '"done"');
  });

  it("does not wait for ever for one that does not", async () => {
    const { server, open } = await serving(() => new Promise(() => {}), { closeTime: 50 });
    const asked = open("/never").catch((error: Error) => error);
    await sleep(30);
    await server.close();
    assert.ok((await asked) instanceof Error);
  });

  it("frees the port; a taken one is an error that says so", async () => {
    const first = await serving(whoAmI);
    const api = { transport: () => async () => json({}) };
    await assert.rejects(serveHttps(api, { identity, port: first.server.port }), { code: "EADDRINUSE" });
    await first.server.close();
    const second = await serveHttps(api, { identity, port: first.server.port });
    await second.close();
  });
});

describe("strangers on the socket", () => {
  it("garbage, half requests and silence neither hang nor hurt", async () => {
    await using served = await serving(async () => json({}), { handshakeTime: 200, headerTime: 200, requestTime: 300 });
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
    const closed = await Promise.race([Promise.all(all).then(() => true), sleep(9000, false, { ref: false })]);
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
    await sleep(50);
    assert.equal((await served.ask("/healthz")).status, 200);
  });
});
