import assert from "node:assert/strict";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { after, before, describe, it } from "node:test";
import { Gateway, GatewayClass, HTTPRoute } from "@trivium/kube";
import { createRuntime, type Runtime } from "@trivium/runtime";
import { gatewayReconcilers, gatewayRef, localGatewayObjects } from "../src/index.ts";
import { addService, type ClusterFixture, type ModelServer, startFixture, startModel, until } from "./fixture.ts";

type Rule = NonNullable<HTTPRoute["spec"]["rules"]>[number];
type Filter = NonNullable<Rule["filters"]>[number];

const prefix = (value: string) => [{ path: { type: "PathPrefix" as const, value } }];

/** A server that answers with bytes as they are written here. */
async function startRaw(answer: (socket: Socket, head: string) => void) {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.once("data", (data) => answer(socket, data.toString("latin1")));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    close: () => {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}

describe("routes and servers that nobody foresaw", () => {
  let fixture: ClusterFixture;
  let runtime: Runtime;
  let model: ModelServer;
  const raws: Awaited<ReturnType<typeof startRaw>>[] = [];

  before(async () => {
    model = await startModel((request, response) => {
      response.setHeader("access-control-allow-origin", "https://evil.example");
      response.end(JSON.stringify({ url: request.url, headers: request.headers }));
    });
    fixture = await startFixture({
      before: async (client) => {
        const { gatewayClass, gateway } = localGatewayObjects(8080);
        await client.create(GatewayClass, gatewayClass);
        await client.create(Gateway, gateway);
        await addService(client, "demo", [model.port]);
      },
    });
    runtime = createRuntime({ client: fixture.client, reconcilers: gatewayReconcilers({ address: "127.0.0.1" }) });
    await runtime.start();
  });
  after(async () => {
    await runtime.stop();
    await fixture.close();
    await model.close();
    await Promise.all(raws.map((server) => server.close()));
  });

  /** Sends bytes as they are, and gives what comes back until the connection ends. */
  const raw = (text: string, patience = 3_000): Promise<string> =>
    new Promise((resolve) => {
      let answer = "";
      const socket = connect(Number(new URL(fixture.gateway.url).port), "127.0.0.1", () =>
        socket.write(text, "latin1"),
      );
      socket.setTimeout(patience, () => socket.destroy());
      socket.on("data", (piece) => {
        answer += piece.toString("latin1");
      });
      socket.on("error", () => {});
      socket.on("close", () => resolve(answer));
    });
  const get = (path: string, headers = "") =>
    raw(`GET ${path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n${headers}\r\n`, 120_000);
  const acceptedOf = async (name: string) => {
    const { status } = await fixture.client.get(HTTPRoute, { namespace: "default", name });
    return status?.parents[0]?.conditions.find(({ type }) => type === "Accepted");
  };
  const add = async (name: string, rules: Rule[]) => {
    await fixture.client.create(HTTPRoute, {
      apiVersion: "gateway.networking.k8s.io/v1",
      kind: "HTTPRoute",
      metadata: { name, namespace: "default" },
      spec: { parentRefs: [{ ...gatewayRef }], rules },
    });
    await until(async () => (await acceptedOf(name)) !== undefined, `${name} has a status`);
    return acceptedOf(name);
  };
  const addFilter = (name: string, filter: Filter) =>
    add(name, [
      {
        matches: prefix(`/${name}`),
        filters: [filter],
        ...(filter.requestRedirect === undefined ? { backendRefs: [{ name: "demo", port: 80 }] } : {}),
      },
    ]);
  const addRaw = async (name: string, answer: Parameters<typeof startRaw>[0]) => {
    const server = await startRaw((socket, head) => {
      if (head.startsWith("GET /v1/models "))
        return void socket.end("HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n");
      answer(socket, head);
    });
    raws.push(server);
    await addService(fixture.client, name, [server.port], { portName: "web" });
    await add(name, [{ matches: prefix(`/${name}`), backendRefs: [{ name, port: 80 }] }]);
  };
  const lives = async () => assert.match(await get("/v1/models"), /^HTTP\/1.1 200 /);

  for (const [name, filter, fault] of [
    [
      "redirect-break",
      {
        type: "RequestRedirect",
        requestRedirect: { path: { type: "ReplaceFullPath", replaceFullPath: "/a\r\nset-cookie: x=1" } },
      },
      /^spec\.rules\[0\]\.filters\[0\]\.requestRedirect\.path contains a line break/,
    ],
    [
      "rewrite-break",
      { type: "URLRewrite", urlRewrite: { path: { type: "ReplacePrefixMatch", replacePrefixMatch: "/a\r\nx: y" } } },
      /urlRewrite\.path contains a line break/,
    ],
    [
      "set-break",
      { type: "RequestHeaderModifier", requestHeaderModifier: { set: [{ name: "x-a", value: "1\r\nx-b: 2" }] } },
      /requestHeaderModifier\.set\[0\]\.value of x-a contains a line break/,
    ],
    [
      "set-wide",
      { type: "RequestHeaderModifier", requestHeaderModifier: { set: [{ name: "x-a", value: "日本" }] } },
      /cannot carry; remove it$/,
    ],
    [
      "answer-break",
      { type: "ResponseHeaderModifier", responseHeaderModifier: { add: [{ name: "x-a", value: "1\n2" }] } },
      /responseHeaderModifier\.add\[0\]\.value of x-a contains a line break/,
    ],
    [
      "framing",
      { type: "RequestHeaderModifier", requestHeaderModifier: { set: [{ name: "Content-Length", value: "3" }] } },
      /header Content-Length is set by the gateway; remove it from the filter$/,
    ],
    [
      "framing-answer",
      { type: "ResponseHeaderModifier", responseHeaderModifier: { set: [{ name: "Transfer-Encoding", value: "x" }] } },
      /header Transfer-Encoding is set by the gateway/,
    ],
    [
      "two-hosts",
      { type: "RequestHeaderModifier", requestHeaderModifier: { add: [{ name: "Host", value: "b" }] } },
      /a request has only one Host header; use set instead$/,
    ],
    [
      "removed-name",
      { type: "RequestHeaderModifier", requestHeaderModifier: { remove: ["x a:"] } },
      /"x a:" is not the name of a header/,
    ],
  ] as [string, Filter, RegExp][]) {
    it(`refuses a route with ${name}, and says which field`, async () => {
      const accepted = await addFilter(name, filter);
      assert.deepEqual([accepted?.status, accepted?.reason], ["False", "UnsupportedValue"]);
      assert.match(accepted?.message ?? "", fault);
      assert.match(await get(`/${name}/x`), /^HTTP\/1.1 404 /);
      await lives();
    });
  }

  it("refuses a pattern that cannot be read, and matches a costly one quickly", async () => {
    const match = (value: string) => [{ path: { type: "RegularExpression" as const, value } }];
    const bad = await add("bad-pattern", [{ matches: match("/re/(x"), backendRefs: [{ name: "demo", port: 80 }] }]);
    assert.deepEqual([bad?.status, bad?.reason], ["False", "UnsupportedValue"]);
    assert.match(bad?.message ?? "", /matches\[0\]\.path\.value is not a regular expression/);
    await add("costly", [{ matches: match("/(a*)*(a|aa)+$"), backendRefs: [{ name: "demo", port: 80 }] }]);
    const began = performance.now();
    assert.match(await get(`/${"a".repeat(5_000)}b`), /^HTTP\/1.1 404 /);
    assert.ok(performance.now() - began < 60_000, "it took as long as the path, not as two to the power of it");
  });

  it("writes paths of filters in percent-encoding", async () => {
    await addFilter("moved", {
      type: "RequestRedirect",
      requestRedirect: { path: { type: "ReplaceFullPath", replaceFullPath: "/über uns?日#本%20x" } },
    });
    assert.match(
      await get("/moved"),
      /\r\nlocation: http:\/\/localhost\/%C3%BCber%20uns%3F%E6%97%A5%23%E6%9C%AC%20x\r\n/i,
    );
    await addFilter("renamed", {
      type: "URLRewrite",
      urlRewrite: { path: { type: "ReplacePrefixMatch", replacePrefixMatch: "/ü x" } },
    });
    assert.match(await get("/renamed/a?b=c"), /"url":"\/%C3%BC%20x\/a\?b=c"/);
    await lives();
  });

  it("redirects whatever bytes a client has in its own path and host", async () => {
    await addFilter("kept", { type: "RequestRedirect", requestRedirect: { scheme: "https" } });
    assert.match(await get("/kept/\xfc?\xff"), /^HTTP\/1.1 (?:302|400) /);
    await raw("GET /kept HTTP/1.1\r\nhost: loc\xfclhost\r\nconnection: close\r\n\r\n");
    await lives();
  });

  const answers: [string, Parameters<typeof startRaw>[0], RegExp][] = [
    ["bytes", (socket) => socket.end("hello there\r\n\r\n"), /^HTTP\/1.1 50\d /],
    ["nothing", (socket) => socket.destroy(), /^HTTP\/1.1 50\d /],
    ["low-status", (socket) => socket.end("HTTP/1.1 099 Low\r\ncontent-length: 2\r\n\r\nhi"), /^(?:HTTP\/1.1 50\d |$)/],
    [
      "high-status",
      (socket) => socket.end("HTTP/1.1 999 High\r\ncontent-length: 2\r\n\r\nhi"),
      /^HTTP\/1.1 (?:999|502) /,
    ],
    [
      "control-header",
      (socket) => socket.end("HTTP/1.1 200 OK\r\nx-a: a\x01b\r\ncontent-length: 2\r\n\r\nhi"),
      /^HTTP/,
    ],
    ["latin-header", (socket) => socket.end("HTTP/1.1 200 OK\r\nx-a: \xe4\r\ncontent-length: 2\r\n\r\nhi"), /x-a: /],
    [
      "odd-name",
      (socket) => socket.end("HTTP/1.1 200 OK\r\nx a: b\r\ncontent-length: 2\r\n\r\nhi"),
      /^HTTP\/1.1 50\d /,
    ],
    [
      "two-lengths",
      (socket) => socket.end("HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 9\r\n\r\nhi"),
      /^HTTP\/1.1 50\d /,
    ],
    [
      "no-content-with-length",
      (socket) => socket.end("HTTP/1.1 204 No Content\r\ncontent-length: 4\r\n\r\n"),
      /^HTTP\/1.1 204 (?!.*content-length)/is,
    ],
    [
      "same-lengths",
      (socket) => socket.end("HTTP/1.1 200 OK\r\ncontent-length: 02\r\ncontent-length: 02\r\n\r\nhi"),
      /^HTTP\/1.1 200 (?!.*content-length.*content-length).*content-length: 2\r\n/is,
    ],
    ["short", (socket) => socket.end("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhi"), /^HTTP\/1.1 200 /],
    [
      "bad-chunk",
      (socket) => socket.end("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\nhi\r\n"),
      /^(?:HTTP\/1.1 (?:200|50\d) |$)/,
    ],
    [
      "switch",
      (socket) => socket.end("HTTP/1.1 101 Switching\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n"),
      /^HTTP\/1.1 50\d /,
    ],
    [
      "resets",
      (socket) => {
        socket.write(
          "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n5\r\ndata:\r\n",
        );
        setTimeout(() => socket.resetAndDestroy(), 20);
      },
      /upstream_broke_off/,
    ],
  ];
  for (const [name, answer, expected] of answers) {
    it(`outlives a server that answers with ${name}`, async () => {
      await addRaw(name, answer);
      assert.match(await get(`/${name}`), expected);
      await lives();
    });
  }

  it("outlives clients that break off in the middle of a chunked body", async () => {
    const head = "POST /renamed/x HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\n";
    for (const rest of ["5\r\nhel", "zz\r\nhello\r\n", "5\r\nhello\r\nffffffffffffffff1\r\n", "-1\r\n\r\n"]) {
      const answer = await raw(`${head}${rest}`, 300);
      assert.ok(answer === "" || /^HTTP\/1.1 (?:200|400|408|502) /.test(answer), answer);
    }
    await lives();
  });

  it("hands nothing on before a server has switched to WebSockets", async () => {
    let heard = "";
    await addRaw("polite", (socket, head) => {
      heard += head;
      socket.on("data", (data) => {
        heard += data.toString();
      });
      setTimeout(() => socket.end("HTTP/1.1 403 Forbidden\r\ncontent-length: 2\r\n\r\nno"), 50);
    });
    const offer = "GET /polite HTTP/1.1\r\nhost: localhost\r\nconnection: Upgrade\r\nupgrade: websocket\r\n\r\n";
    const answer = await raw(`${offer}GET /secret HTTP/1.1\r\nhost: localhost\r\n\r\n`);
    assert.match(answer, /^HTTP\/1.1 403 Forbidden\r\n.*no$/s);
    assert.doesNotMatch(heard, /secret/);
    assert.equal(answer.match(/HTTP\/1\.1 /g)?.length, 1);
    await until(() => fixture.gateway.requests() === 0, "it is over");
  });

  it("ignores offers of other protocols", async () => {
    const offer = "connection: Upgrade, HTTP2-Settings\r\nupgrade: h2c\r\nhttp2-settings: AAMAAABk\r\n";
    assert.match(await get("/v1/models", offer), /^HTTP\/1.1 (?:200|400) /);
    const body = JSON.stringify({ model: "demo", messages: [] });
    const answer = await raw(
      `POST /v1/chat/completions HTTP/1.1\r\nhost: localhost\r\n${offer}content-length: ${body.length}\r\n\r\n${body}`,
      500,
    );
    assert.match(answer, /^HTTP\/1.1 200 /);
    assert.doesNotMatch(answer, /"(?:upgrade|http2-settings)":/);
    assert.match(await get("/renamed/x", offer), /^HTTP\/1.1 200 /);
  });

  describe("web pages", () => {
    const ask = (headers: string, method = "GET", path = "/v1/models") =>
      raw(`${method} ${path} HTTP/1.1\r\nconnection: close\r\n${headers}\r\n\r\n`);

    for (const host of ["localhost:8080", "127.0.0.1", "[::1]", "demo", "demo.default.svc.cluster.local"])
      it(`are answered at ${host}`, async () => assert.match(await ask(`host: ${host}`), /^HTTP\/1.1 200 /));

    it("are not answered by a name that a stranger made to mean this machine", async () => {
      for (const path of ["/v1/models", "/renamed/x"]) {
        const answer = await ask("host: evil.example:8080", "GET", path);
        assert.match(answer, /^HTTP\/1.1 421 /);
        assert.match(answer, /Host evil\.example is not allowed; .*--allowed-hosts/);
      }
    });

    it("of strangers neither use nor read models, directly or by a route", async () => {
      for (const origin of ["https://evil.example", "null"]) {
        for (const path of ["/v1/models", "/renamed/x"]) {
          const answer = await ask(`host: localhost\r\norigin: ${origin}`, "GET", path);
          assert.match(answer, /^HTTP\/1.1 403 /);
          assert.doesNotMatch(answer, /access-control-allow-origin/);
          assert.match(answer, /--allowed-origins/);
        }
      }
      const before = "host: localhost\r\norigin: https://evil.example\r\naccess-control-request-method: POST";
      assert.match(await ask(before, "OPTIONS", "/v1/chat/completions"), /^HTTP\/1.1 403 /);
      const socket = "GET /polite HTTP/1.1\r\nhost: localhost\r\norigin: https://evil.example\r\n";
      assert.match(await raw(`${socket}connection: Upgrade\r\nupgrade: websocket\r\n\r\n`), /^HTTP\/1.1 403 /);
    });

    it("of this machine do", async () => {
      const answer = await ask("host: localhost\r\norigin: http://localhost:3000");
      assert.match(answer, /^HTTP\/1.1 200 /);
      assert.match(answer, /access-control-allow-origin: http:\/\/localhost:3000\r\n/);
      assert.doesNotMatch(answer, /allow-credentials/);
      const wanted =
        "access-control-request-method: POST\r\naccess-control-request-headers: authorization,content-type";
      const preflight = await ask(
        `host: localhost\r\norigin: http://localhost:3000\r\n${wanted}`,
        "OPTIONS",
        "/v1/chat/completions",
      );
      assert.match(preflight, /^HTTP\/1.1 200 /);
      assert.match(preflight, /access-control-allow-headers: authorization,content-type\r\n/);
      const body = JSON.stringify({ model: "demo" });
      const posted = await raw(
        `POST /v1/chat/completions HTTP/1.1\r\nhost: localhost\r\norigin: http://localhost:3000\r\nconnection: close\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
      );
      assert.match(posted, /access-control-allow-origin: http:\/\/localhost:3000\r\n/);
      assert.doesNotMatch(posted, /evil\.example/);
    });
  });
});
