import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingMessage, request } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { after, before, describe, it } from "node:test";
import { gzipSync } from "node:zlib";
import { Secret } from "@trivium/kube";
import { gatewayHeader, gatewayProof } from "@trivium/std";
import {
  addService,
  type ClusterFixture,
  completes,
  type ModelServer,
  startFixture,
  startModel,
  until,
} from "./fixture.ts";

describe("hostile requests", () => {
  let fixture: ClusterFixture;
  let model: ModelServer;

  before(async () => {
    model = await startModel(completes);
    fixture = await startFixture({
      limits: { bodyBytes: 10_000, headerBytes: 8_192, urlBytes: 2_000, headersTimeout: 300, requestTimeout: 600 },
      before: (client) => addService(client, "demo", [model.port]),
    });
    await until(async () => (await post({ model: "demo" })).status === 200, "it answers");
    model.requests.length = 0;
  });
  after(async () => {
    await fixture.close();
    await model.close();
  });

  const post = (body: unknown) =>
    fetch(`${fixture.gateway.url}/v1/chat/completions`, {
      method: "POST",
      body: typeof body === "string" || body instanceof Uint8Array ? (body as string) : JSON.stringify(body),
    });
  const failure = async (response: Response) => {
    const { error } = (await response.json()) as { error: { code: string; message: string } };
    return [response.status, error.code] as const;
  };

  /** Sends bytes as they are, and gives what comes back until the connection ends or falls silent. */
  const raw = (text: string): Promise<string> =>
    new Promise((resolve) => {
      let answer = "";
      const socket = connect(Number(new URL(fixture.gateway.url).port), "127.0.0.1", () => socket.write(text));
      socket.setTimeout(2_000, () => socket.destroy());
      socket.on("data", (piece) => {
        answer += piece.toString("latin1");
      });
      socket.on("error", () => {});
      socket.on("close", () => resolve(answer));
    });

  for (const [what, body, expected] of [
    ["no JSON", "hello", [400, "invalid_json"]],
    ["half of an object", '{"model":"demo"', [400, "invalid_json"]],
    ["a list", "[1]", [400, "invalid_json"]],
    ["something after the object", '{"model":"demo"}{}', [400, "invalid_json"]],
    ["an unknown word", '{"model":"demo","x":nope}', [400, "invalid_json"]],
    ["no model", "{}", [400, "model_missing"]],
    ["an empty model", '{"model":""}', [400, "model_missing"]],
    ["a model that is a number", '{"model":7}', [400, "invalid_json"]],
    ["a model that is null", '{"model":null}', [400, "invalid_json"]],
    ["a model twice", '{"model":"demo","model":"other"}', [400, "invalid_json"]],
    ["a model twice, once disguised", '{"model":"demo","mod\\u0065l":"other"}', [400, "invalid_json"]],
    ["thousands of levels", `{"model":"demo","x":${"[".repeat(4_000)}${"]".repeat(4_000)}}`, [400, "invalid_json"]],
    ["too many bytes", JSON.stringify({ model: "demo", x: "y".repeat(20_000) }), [413, "request_too_large"]],
    ["a name that is a property of every object", '{"model":"__proto__"}', [404, "model_not_found"]],
    ["a byte order mark", '\ufeff{"model":"demo"}', [400, "invalid_json"]],
    ["a compressed body", gzipSync('{"model":"demo"}'), [400, "invalid_json"]],
    ["a model that is only nested", '{"messages":[{"model":"demo"}]}', [400, "model_missing"]],
    ["a path for a name", '{"model":"../../etc/passwd"}', [404, "model_not_found"]],
    ["a name without end", JSON.stringify({ model: "m".repeat(5_000) }), [404, "model_not_found"]],
  ] as const) {
    it(`refuses ${what}`, async () => {
      const response = await post(body);
      assert.deepEqual(await failure(response), expected);
    });
  }

  it("takes what is odd but right", async () => {
    const deep = `{"x":${'{"a":['.repeat(32)}1${"]}".repeat(32)},"s":"\\\\\\"}{","model" :\n"demo"}`;
    assert.equal((await post(deep)).status, 200);
    const rewritten = model.requests.at(-1)?.body;
    assert.equal(rewritten, deep.replace('"demo"', '"tiny"'));
    assert.equal((await post('{"mod\\u0065l":"d\\u0065mo"}')).status, 200);
  });

  for (const [what, text, status] of [
    [
      "two lengths in one request",
      "content-length: 2\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\nGET /x HTTP/1.1\r\nhost: y\r\n\r\n",
      400,
    ],
    ["two different lengths", "content-length: 2\r\ncontent-length: 20\r\n\r\n{}", 400],
    ["a length with a sign", "content-length: +2\r\n\r\n{}", 400],
    ["a disguised transfer encoding", "transfer-encoding: xchunked\r\ncontent-length: 2\r\n\r\n{}", 400],
    ["a space before the colon", "content-length : 2\r\n\r\n{}", 400],
    ["a header that goes on in the next line", "x-a: 1\r\n b: 2\r\ncontent-length: 2\r\n\r\n{}", 400],
    ["two hosts", "host: other\r\ncontent-length: 2\r\n\r\n{}", 400],
    ["headers without end", `x: ${"y".repeat(20_000)}\r\n\r\n`, 431],
  ] as const) {
    it(`refuses ${what}, and hears nothing more on that connection`, async () => {
      const before = model.requests.length;
      const answer = await raw(`POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\n${text}`);
      assert.match(answer, new RegExp(`^HTTP/1.1 ${status} `));
      assert.equal(answer.match(/HTTP\/1\.1 /g)?.length, 1);
      assert.equal(model.requests.length, before);
    });
  }

  it("refuses a request without a host", async () => {
    assert.match(await raw("GET /v1/models HTTP/1.1\r\n\r\n"), /^HTTP\/1.1 400 /);
  });

  it("does not wait for ever for headers or bodies that come drop by drop", async () => {
    assert.match(await raw("POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\n"), /^HTTP\/1.1 408 /);
    assert.match(
      await raw("POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\ncontent-length: 50\r\n\r\n{"),
      /^HTTP\/1.1 408 /,
    );
  });

  it("refuses URLs that are too long or climb", async () => {
    assert.match(
      await raw(`GET /${"x".repeat(3_000)} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`),
      /^HTTP\/1.1 414 /,
    );
    for (const path of ["/a/../b", "/a/%2e%2e/b", "/a/.%2E", "/a%2f..%2fb", "http://evil/"]) {
      assert.match(await raw(`GET ${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`), /^HTTP\/1.1 400 /, path);
    }
  });

  it("answers a wrong method in words", async () => {
    assert.equal((await fetch(`${fixture.gateway.url}/v1/chat/completions`)).status, 405);
    assert.equal((await fetch(`${fixture.gateway.url}/v1/models`, { method: "DELETE" })).status, 405);
  });
});

describe("API keys", () => {
  it("lets in who has a key of the Secret, follows its changes, and keeps keys from the model server", async () => {
    const model = await startModel(completes);
    const secret = (value: string): Secret => ({
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "keys", namespace: "default" },
      data: { ann: Buffer.from(value).toString("base64") },
    });
    const fixture = await startFixture({
      apiKeys: { namespace: "default", name: "keys" },
      before: (client) => addService(client, "demo", [model.port]),
    });
    const status = async (headers: Record<string, string>) => {
      const body = JSON.stringify({ model: "demo", messages: [] });
      return (await fetch(`${fixture.gateway.url}/v1/chat/completions`, { method: "POST", headers, body })).status;
    };
    try {
      assert.equal(await status({ authorization: "Bearer one" }), 503);
      await fixture.client.create(Secret, secret("one"));
      await until(async () => (await status({ authorization: "Bearer one" })) === 200, "the key is known");
      assert.equal(model.requests.at(-1)?.headers.authorization, undefined);
      assert.deepEqual(
        [await status({}), await status({ authorization: "Bearer two" }), await status({ "x-api-key": "one" })],
        [401, 401, 200],
      );
      await fixture.client.replace(Secret, secret("two"));
      await until(async () => (await status({ authorization: "Bearer two" })) === 200, "the new key is known");
      assert.equal(await status({ authorization: "Bearer one" }), 401);
    } finally {
      await fixture.close();
      await model.close();
    }
  });
});

describe("what is no model", () => {
  it("is neither listed nor reached by its name, and a model server is", async () => {
    const model = await startModel(completes);
    const shy = await startModel(completes, ["shy-model"]);
    // A web server says 200 to everything, or 404, or something that is no list.
    const pages = await startModel((_, response) => response.end("<html>welcome</html>"), []);
    const locked = createServer((_, response) => response.writeHead(401).end());
    await new Promise<void>((resolve) => locked.listen(0, "127.0.0.1", resolve));
    const fixture = await startFixture({
      before: async (client) => {
        await addService(client, "demo", [model.port]);
        await addService(client, "nginx", [pages.port]);
        await addService(client, "quiet-nginx", [pages.port], { portName: "web" });
        await addService(client, "shy", [shy.port], { portName: "web" });
        await addService(client, "locked", [(locked.address() as AddressInfo).port]);
        await addService(client, "named", [pages.port], { annotations: { "trivium.dev/models": "by-hand" } });
      },
    });
    const ids = async () => {
      const { data } = (await (await fetch(`${fixture.gateway.url}/v1/models`)).json()) as { data: { id: string }[] };
      return data.map(({ id }) => id);
    };
    const status = async (name: string) => {
      const body = JSON.stringify({ model: name, messages: [] });
      return (await fetch(`${fixture.gateway.url}/v1/chat/completions`, { method: "POST", body })).status;
    };
    try {
      await until(async () => (await ids()).includes("demo"), "the model is known");
      await until(async () => (await status("nginx")) === 404, "the web server is known");
      assert.deepEqual(await ids(), ["demo", "by-hand"]);
      assert.equal((await fetch(`${fixture.gateway.url}/v1/models/quiet-nginx`)).status, 404);
      const before = pages.requests.length;
      assert.equal(await status("quiet-nginx"), 404);
      assert.equal(pages.requests.length, before);
      // Nothing but a request gives a reason to ask this one, and it has models.
      assert.equal(await status("shy"), 200);
      // It wants a key of its own, so that only it can say.
      assert.equal(await status("locked"), 401);
    } finally {
      await fixture.close();
      locked.close();
      await Promise.all([model, shy, pages].map((server) => server.close()));
    }
  });
});

describe("fixed keys", () => {
  it("are required of every request but a preflight, by any name of the host", async () => {
    const model = await startModel(completes);
    const fixture = await startFixture({
      keys: ["first-key", "second-key"],
      gatewayToken: "known",
      before: (client) => addService(client, "demo", [model.port]),
    });
    const ask = async (headers: Record<string, string>, path = "/v1/models", method = "GET") => {
      const sent = request({ port: new URL(fixture.gateway.url).port, path, method, headers }).end();
      const [response] = (await once(sent, "response")) as [IncomingMessage];
      response.resume();
      return response.statusCode;
    };
    try {
      assert.equal(await ask({}), 401);
      assert.equal(await ask({ authorization: "Bearer wrong" }), 401);
      assert.equal(await ask({ authorization: "Bearer first-key" }), 200);
      assert.equal(await ask({ authorization: "bearer  second-key", host: "models.example.com" }), 200);
      assert.equal(await ask({ authorization: "Bearer first-key", origin: "https://evil.example" }), 403);
      const page = { origin: "http://localhost:3000", "access-control-request-method": "POST" };
      assert.equal(await ask(page, "/v1/chat/completions", "OPTIONS"), 200);
      assert.equal(await ask({ origin: "http://localhost:3000" }, "/v1/chat/completions", "OPTIONS"), 401);
      const headers = { authorization: "Bearer first-key", [gatewayHeader]: "forged" };
      const body = JSON.stringify({ model: "demo", messages: [] });
      const sent = await fetch(`${fixture.gateway.url}/v1/chat/completions`, { method: "POST", headers, body });
      assert.equal(sent.status, 200);
      const got = model.requests.at(-1)?.headers;
      const proof = gatewayProof("known", `127.0.0.1:${model.port}`);
      assert.deepEqual([got?.authorization, got?.[gatewayHeader]], [undefined, proof]);
    } finally {
      await fixture.close();
      await model.close();
    }
  });
});
