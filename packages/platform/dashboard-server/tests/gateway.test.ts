import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe, it } from "node:test";
import { Refusal } from "@trivium/std";
import type { GatewayPort } from "../src/index.ts";
import { type Fixture, startFixture } from "./fixture.ts";

const figures = `# TYPE trivium_gateway_requests_total counter
trivium_gateway_requests_total{model="a\\"b",status="200"} 3
trivium_gateway_duration_seconds_bucket{le="1"} 2
trivium_gateway_duration_seconds_sum 1.5
trivium_gateway_in_flight 0
process_cpu_seconds_total 9
`;

describe("the gateway behind the dashboard", () => {
  const received: { url: string; headers: IncomingHttpHeaders }[] = [];
  const upstream = createServer((request, response) => {
    received.push({ url: request.url ?? "", headers: request.headers });
    if (request.url === "/v1/models")
      response.writeHead(200, { "content-type": "application/json" }).end('{"data":[]}');
    else if (request.url === "/v1/redirect") response.writeHead(302, { location: "http://127.0.0.1:1/" }).end();
    else if (request.url === "/v1/html") response.writeHead(200, { "content-type": "text/html" }).end("<script>");
    else response.writeHead(200, { "content-type": "text/event-stream", "set-cookie": "a=b" }).end("data: [DONE]\n\n");
  });
  let fixture: Fixture;
  let cookie: string;
  const state = { text: figures, isGuarded: false };
  before(async () => {
    await once(upstream.listen(0, "127.0.0.1"), "listening");
    const url = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
    const metrics: GatewayPort["metrics"] = {
      read: async () => state.text,
      get isGuarded() {
        return state.isGuarded;
      },
    };
    fixture = await startFixture({
      gateway: { url, key: "gateway-key", metrics },
      login: "cluster-token",
      verify: async () => ({ models: 2, findings: [] }),
      inspect: async (source) => {
        if (source === "no/model") throw new Refusal("no/model has no model");
        return { source };
      },
    });
    cookie = await fixture.logIn(await fixture.account("chatter", []));
  });
  after(async () => {
    await fixture.stop();
    upstream.close();
  });

  it("streams answers, with the key of the gateway and nothing of the session", async () => {
    assert.equal((await fixture.call("/openai/v1/models")).status, 401, "only with a session");
    assert.equal((await fixture.call("/openai/v1/models", { cookie })).text, '{"data":[]}');
    const chat = await fixture.call("/openai/v1/chat/completions", { method: "POST", cookie, body: { stream: true } });
    assert.equal(chat.text, "data: [DONE]\n\n");
    assert.equal(chat.headers["set-cookie"], undefined);
    const last = received.at(-1)?.headers ?? {};
    assert.deepEqual([last.authorization, last.cookie], ["Bearer gateway-key", undefined]);
  });

  it("leads to /v1 of the gateway and nowhere else", async () => {
    received.length = 0;
    for (const path of [
      "/openai/metrics",
      "/openai/v1/../metrics",
      "/openai/v1/%2e%2e/metrics",
      "/openai/v1//evil.example",
      "/openai//evil.example/v1/x",
      "/openai/@evil.example/v1/x",
      "/openai/v1/models%0d%0aHost:evil",
    ])
      assert.equal((await fixture.call(path, { cookie })).status, 404, path);
    assert.equal((await fixture.call("/openai/v1/models", { method: "DELETE", cookie })).status, 405);
    assert.deepEqual(received, []);
    assert.equal((await fixture.call("/openai/v1/redirect", { cookie })).status, 302);
    const html = await fixture.call("/openai/v1/html", { cookie });
    assert.equal(html.headers["content-type"], "application/octet-stream");
  });

  it("gives its figures as data, to users who can read metrics", async () => {
    const { json } = await fixture.call("/gateway-metrics", { cookie });
    assert.deepEqual(json.samples, [
      { name: "trivium_gateway_requests_total", value: 3, labels: { model: 'a"b', status: "200" } },
      { name: "trivium_gateway_duration_seconds_sum", value: 1.5, labels: {} },
      { name: "trivium_gateway_in_flight", value: 0, labels: {} },
    ]);
    state.isGuarded = true;
    assert.equal((await fixture.call("/gateway-metrics", { cookie })).status, 403);
    const reader = await fixture.account("reader", [{ nonResourceURLs: ["/metrics"], verbs: ["get"] }]);
    assert.equal((await fixture.call("/gateway-metrics", { cookie: await fixture.logIn(reader) })).status, 200);
  });

  it("verifies the weights of this machine, on request only", async () => {
    const { json } = await fixture.call("/verify", { method: "POST", cookie, body: {} });
    assert.deepEqual(json, { models: 2, findings: [] });
    assert.equal((await fixture.call("/verify", { cookie })).status, 405);
    assert.equal((await fixture.call("/verify", { method: "POST", body: {} })).status, 401);
  });

  it("inspects a model, and says why it cannot", async () => {
    const inspect = (body: object) => fixture.call("/inspect", { method: "POST", cookie, body });
    assert.deepEqual((await inspect({ source: " a/b " })).json, { source: "a/b" });
    const refused = await inspect({ source: "no/model" });
    assert.deepEqual([refused.status, refused.json.error?.message], [400, "no/model has no model"]);
    assert.equal((await inspect({})).status, 400);
  });

  it("a gateway that does not respond is a line", async () => {
    upstream.closeAllConnections();
    await new Promise((resolve) => upstream.close(resolve));
    const { status, json } = await fixture.call("/openai/v1/models", { cookie });
    assert.deepEqual([status, json.error?.message], [503, "The gateway does not respond"]);
  });
});
