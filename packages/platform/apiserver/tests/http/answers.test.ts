import assert from "node:assert/strict";
import { once } from "node:events";
import { Agent } from "node:https";
import { describe, it } from "node:test";
import { ApiError } from "@trivium/kube";
import { json, reports, serving } from "./serving.ts";

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
