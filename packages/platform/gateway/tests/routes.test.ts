import assert from "node:assert/strict";
import { request as httpRequest } from "node:http";
import type { AddressInfo } from "node:net";
import { connect, createServer } from "node:net";
import { after, before, describe, it } from "node:test";
import { Gateway, GatewayClass, HTTPRoute, ReferenceGrant } from "@trivium/kube";
import { createRuntime, type Runtime } from "@trivium/runtime";
import { gatewayReconcilers, gatewayRef, localGatewayObjects } from "../src/index.ts";
import { className } from "../src/status/names.ts";
import {
  type Answer,
  addService,
  type ClusterFixture,
  type ModelServer,
  startFixture,
  startModel,
  until,
} from "./fixture.ts";

const parentRefs = [{ ...gatewayRef }];
type Rules = HTTPRoute["spec"]["rules"];

const route = (
  name: string,
  rules: Rules,
  more: Partial<HTTPRoute["spec"]> = {},
  namespace = "default",
): HTTPRoute => ({
  apiVersion: "gateway.networking.k8s.io/v1",
  kind: "HTTPRoute",
  metadata: { name, namespace },
  spec: { parentRefs, ...more, rules },
});

const prefix = (value: string) => [{ path: { type: "PathPrefix" as const, value } }];

describe("HTTPRoutes", () => {
  let fixture: ClusterFixture;
  let first: ModelServer;
  let second: ModelServer;
  let runtime: Runtime;
  const echo =
    (who: string): Answer =>
    (request, response, body) => {
      response.setHeader("x-server", who);
      response.end(JSON.stringify({ who, url: request.url, headers: request.headers, body }));
    };

  before(async () => {
    first = await startModel(echo("first"));
    second = await startModel(echo("second"));
    fixture = await startFixture({
      before: async (client) => {
        const { gatewayClass, gateway } = localGatewayObjects(8080);
        await client.create(GatewayClass, gatewayClass);
        await client.create(Gateway, gateway);
        await addService(client, "first", [first.port], { portName: "web" });
        await addService(client, "second", [second.port], { portName: "web" });
        await addService(client, "far", [second.port], { portName: "web", namespace: "other" });
      },
    });
    runtime = createRuntime({ client: fixture.client, reconcilers: gatewayReconcilers({ address: "127.0.0.1" }) });
    await runtime.start();
  });
  after(async () => {
    await runtime.stop();
    await fixture.close();
    await Promise.all([first.close(), second.close()]);
  });

  interface Echo {
    readonly status: number;
    readonly headers: Headers;
    readonly who?: string;
    readonly url?: string;
    readonly sent?: Record<string, string>;
    readonly text: string;
  }
  /** Node's fetch does not let one choose the host. */
  const get = (path: string, headers: Record<string, string> = {}, body?: string): Promise<Echo> =>
    new Promise((resolve, reject) => {
      const options = {
        port: new URL(fixture.gateway.url).port,
        path,
        headers,
        method: body === undefined ? "GET" : "POST",
      };
      const request = httpRequest(options, (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (piece: string) => {
          text += piece;
        });
        response.on("end", () => {
          const answer = text.startsWith("{")
            ? (JSON.parse(text) as { who: string; url: string; headers: Record<string, string> })
            : undefined;
          resolve({
            status: response.statusCode ?? 0,
            headers: new Headers(response.headers as Record<string, string>),
            text,
            ...(answer === undefined ? {} : { who: answer.who, url: answer.url, sent: answer.headers }),
          });
        });
      });
      request.on("error", reject).end(body);
    });
  const add = async (object: HTTPRoute) => {
    await fixture.client.create(HTTPRoute, object);
    await settled(object.metadata.name as string, object.metadata.namespace);
  };
  const parentsOf = async (name: string, namespace = "default") =>
    ((await fixture.client.get(HTTPRoute, { namespace, name })).status?.parents ?? []).map(
      ({ parentRef, conditions }) => [
        parentRef.name,
        ...conditions.map(({ type, status, reason }) => `${type}=${status} ${reason}`),
      ],
    );
  const settled = (name: string, namespace = "default") =>
    until(async () => (await parentsOf(name, namespace)).length > 0, `${name} has a status`);

  it("says why nothing is there", async () => {
    const { status, text } = await get("/nowhere", { host: "a.localhost" });
    assert.equal(status, 404);
    assert.match(text, /No route for GET \/nowhere at host a.localhost: no HTTPRoutes exist/);
  });

  it("matches by path, host, header, query and method, the more specific first", async () => {
    await add(
      route("match", [
        { matches: prefix("/app"), backendRefs: [{ name: "first", port: 80 }] },
        { matches: [{ path: { type: "Exact", value: "/app/exact" } }], backendRefs: [{ name: "second", port: 80 }] },
        {
          matches: [{ ...prefix("/app")[0], headers: [{ name: "X-Canary", value: "yes" }] }],
          backendRefs: [{ name: "second", port: 80 }],
        },
        {
          matches: [{ ...prefix("/app")[0], queryParams: [{ name: "v", value: "2" }] }],
          backendRefs: [{ name: "second", port: 80 }],
        },
        {
          matches: [{ path: { type: "RegularExpression", value: "/re/[0-9]+" } }],
          backendRefs: [{ name: "second", port: 80 }],
        },
      ]),
    );
    await add(route("hosted", [{ backendRefs: [{ name: "second", port: 80 }] }], { hostnames: ["*.example.com"] }));
    const who = async (path: string, headers = {}) => (await get(path, headers)).who;
    assert.deepEqual(
      [
        await who("/app"),
        await who("/app/x?y=1"),
        await who("/app/exact"),
        await who("/app", { "x-canary": "yes" }),
        await who("/app?v=2"),
        await who("/re/12"),
        await who("/anything", { host: "www.example.com:8080" }),
        await who("/apple"),
        await who("/re/x"),
      ],
      ["first", "first", "second", "second", "second", "second", "second", undefined, undefined],
    );
    assert.deepEqual(await parentsOf("match"), [
      ["trivium", "Accepted=True Accepted", "ResolvedRefs=True ResolvedRefs"],
    ]);
  });

  it("rewrites, changes headers, redirects", async () => {
    await add(
      route("filters", [
        {
          matches: prefix("/old"),
          filters: [
            {
              type: "URLRewrite",
              urlRewrite: { hostname: "inside", path: { type: "ReplacePrefixMatch", replacePrefixMatch: "/new" } },
            },
            {
              type: "RequestHeaderModifier",
              requestHeaderModifier: { set: [{ name: "x-set", value: "1" }], remove: ["x-gone"] },
            },
            {
              type: "ResponseHeaderModifier",
              responseHeaderModifier: { add: [{ name: "x-added", value: "2" }], remove: ["x-server"] },
            },
          ],
          backendRefs: [{ name: "first", port: 80 }],
        },
        {
          matches: prefix("/moved"),
          filters: [
            {
              type: "RequestRedirect",
              requestRedirect: {
                scheme: "https",
                hostname: "new.example",
                statusCode: 301,
                path: { type: "ReplacePrefixMatch", replacePrefixMatch: "/" },
              },
            },
          ],
        },
      ]),
    );
    const answer = await get("/old/a?b=c", { "x-gone": "1" });
    assert.equal(answer.url, "/new/a?b=c");
    assert.deepEqual([answer.sent?.host, answer.sent?.["x-set"], answer.sent?.["x-gone"]], ["inside", "1", undefined]);
    assert.deepEqual([answer.headers.get("x-added"), answer.headers.get("x-server")], ["2", null]);
    const moved = await get("/moved/on?x=1");
    assert.deepEqual([moved.status, moved.headers.get("location")], [301, "https://new.example/on?x=1"]);
  });

  it("passes large bodies through", async () => {
    const body = "x".repeat(1_000_000);
    const answer = await get("/app/large", {}, body);
    assert.equal((JSON.parse(answer.text) as { body: string }).body.length, body.length);
  });

  it("shares requests by weight, and answers 500 for the share of a backend that is not there", async () => {
    await add(
      route("weights", [
        {
          matches: prefix("/w"),
          backendRefs: [
            { name: "first", port: 80, weight: 3 },
            { name: "second", port: 80, weight: 1 },
          ],
        },
        { matches: prefix("/broken"), backendRefs: [{ name: "nobody", port: 80 }] },
      ]),
    );
    let firsts = 0;
    for (let round = 0; round < 200; round += 1) if ((await get("/w")).who === "first") firsts += 1;
    assert.ok(firsts > 110 && firsts < 190, `${firsts} of 200 went to the one with three quarters of the weight`);
    const why =
      "HTTPRoute default/weights: Service default/nobody not found; " +
      "see kubectl describe httproute weights -n default";
    const broken = await get("/broken");
    assert.deepEqual([broken.status, broken.text], [500, `${why}\n`]);
    const error = { message: why, type: "server_error", param: null, code: "invalid_backend" };
    for (const [path, accept] of [
      ["/broken/v1/chat/completions", "*/*"],
      ["/broken", "application/json; q=0.9, text/html"],
      ["/broken", "application/problem+json"],
    ] as const) {
      const reported = await get(path, { accept }, "{}");
      assert.deepEqual([reported.status, reported.headers.get("content-type")], [500, "application/json"]);
      assert.deepEqual(JSON.parse(reported.text), { error });
    }
    assert.match((await get("/broken/v1x", { accept: "text/html" })).headers.get("content-type") ?? "", /^text\/plain/);
    assert.deepEqual(await parentsOf("weights"), [
      ["trivium", "Accepted=True Accepted", "ResolvedRefs=False BackendNotFound"],
    ]);
  });

  it("crosses namespaces only with a grant", async () => {
    await add(
      route("cross", [{ matches: prefix("/far"), backendRefs: [{ name: "far", namespace: "other", port: 80 }] }]),
    );
    assert.deepEqual(await parentsOf("cross"), [
      ["trivium", "Accepted=True Accepted", "ResolvedRefs=False RefNotPermitted"],
    ]);
    assert.equal((await get("/far")).status, 500);
    await fixture.client.create(ReferenceGrant, {
      apiVersion: "gateway.networking.k8s.io/v1beta1",
      kind: "ReferenceGrant",
      metadata: { name: "let-in", namespace: "other" },
      spec: {
        from: [{ group: "gateway.networking.k8s.io", kind: "HTTPRoute", namespace: "default" }],
        to: [{ group: "", kind: "Service" }],
      },
    });
    await until(async () => (await get("/far")).who === "second", "it is let in");
    await until(
      async () => (await parentsOf("cross")).flat().includes("ResolvedRefs=True ResolvedRefs"),
      "the status says so",
    );
  });

  it("keeps to the time that a route allows", async () => {
    const slow = await startModel(() => {});
    await addService(fixture.client, "slow", [slow.port], { portName: "web" });
    await add(
      route("slow", [
        { matches: prefix("/slow"), timeouts: { request: "50ms" }, backendRefs: [{ name: "slow", port: 80 }] },
      ]),
    );
    assert.equal((await get("/slow")).status, 504);
    await until(() => slow.open() === 0, "the server was told");
    await slow.close();
  });

  it("says which Service has nobody, and why", async () => {
    await addService(fixture.client, "empty", [], { portName: "web" });
    await add(route("empty", [{ matches: prefix("/empty"), backendRefs: [{ name: "empty", port: 80 }] }]));
    const { status, text } = await get("/empty");
    assert.equal(status, 503);
    assert.match(
      text,
      /Service default\/empty has no ready endpoints: no Deployment or StatefulSet has pods that match its selector/,
    );
  });

  it("leaves the models where they are when a route takes everything", async () => {
    await add(route("all", [{ backendRefs: [{ name: "first", port: 80 }] }]));
    assert.equal((await get("/anything/else")).who, "first");
    assert.match((await get("/v1/models")).text, /"object":"list"/);
    await add(route("openai", [{ matches: prefix("/v1/models"), backendRefs: [{ name: "second", port: 80 }] }]));
    // The model server's own list: the route was meant.
    assert.match((await get("/v1/models")).text, /"id":"tiny"/);
    await fixture.client.delete(HTTPRoute, { namespace: "default", name: "openai" });
  });

  it("says what Gateways carry, and refuses what they do not", async () => {
    const { gateway } = localGatewayObjects(80);
    await fixture.client.create(Gateway, {
      ...gateway,
      metadata: { namespace: "other", name: "narrow" },
      spec: {
        gatewayClassName: className,
        listeners: [
          { name: "http", port: 80, protocol: "HTTP", hostname: "narrow.example" },
          { name: "tls", port: 443, protocol: "HTTPS", tls: { certificateRefs: [{ name: "x" }] } },
        ],
      },
    });
    const parents = [{ name: "narrow", namespace: "other" }];
    const rules: Rules = [{ matches: prefix("/n"), backendRefs: [{ name: "far", port: 80 }] }];
    await add(route("inside", rules, { parentRefs: parents }, "other"));
    await add(route("outside", rules, { parentRefs: parents }));
    await add(route("elsewhere", rules, { parentRefs: parents, hostnames: ["wide.example"] }, "other"));
    await add(route("section", rules, { parentRefs: [{ ...parents[0]!, sectionName: "tls" }] }, "other"));
    assert.deepEqual(
      [
        await parentsOf("inside", "other"),
        await parentsOf("outside"),
        await parentsOf("elsewhere", "other"),
        await parentsOf("section", "other"),
      ].map(([parent]) => parent?.[1]),
      [
        "Accepted=True Accepted",
        "Accepted=False NotAllowedByListeners",
        "Accepted=False NoMatchingListenerHostname",
        "Accepted=False NoMatchingParent",
      ],
    );
    assert.equal((await get("/n", { host: "narrow.example" })).who, "second");
    const counted = async () => {
      const { status } = await fixture.client.get(Gateway, { namespace: "other", name: "narrow" });
      return status?.listeners?.map(({ name, attachedRoutes, conditions }) => [
        name,
        attachedRoutes,
        conditions[0]?.reason,
      ]);
    };
    await until(async () => (await counted())?.[0]?.[1] === 1, "one route is counted");
    assert.deepEqual(await counted(), [
      ["http", 1, "Accepted"],
      ["tls", 0, "UnsupportedProtocol"],
    ]);
    const { status } = await fixture.client.get(Gateway, gatewayRef);
    assert.deepEqual(status?.addresses, [{ type: "IPAddress", value: "127.0.0.1" }]);
    assert.equal((await fixture.client.get(GatewayClass, { name: className })).status?.conditions?.[0]?.status, "True");
  });

  it("joins the two sides of a WebSocket", async () => {
    const server = createServer((socket) => {
      socket.once("data", (head) => {
        // A Service behind a route is asked for its models first.
        if (!head.toString().startsWith("GET /ws HTTP/1.1\r\n")) return void socket.destroy();
        socket.write("HTTP/1.1 101 Switching Protocols\r\nconnection: Upgrade\r\nupgrade: websocket\r\n\r\n");
        socket.on("data", (data) => socket.write(`echo ${data}`));
      });
      socket.on("error", () => {});
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    await addService(fixture.client, "sockets", [(server.address() as AddressInfo).port], { portName: "web" });
    await add(route("sockets", [{ matches: prefix("/ws"), backendRefs: [{ name: "sockets", port: 80 }] }]));
    const client = connect(Number(new URL(fixture.gateway.url).port), "127.0.0.1");
    let heard = "";
    client.on("data", (data) => {
      heard += data.toString();
    });
    client.write("GET /ws HTTP/1.1\r\nhost: x\r\nconnection: Upgrade\r\nupgrade: websocket\r\n\r\n");
    await until(() => heard.includes("101 Switching"), "it switched");
    client.write("hello");
    await until(() => heard.endsWith("echo hello"), "bytes pass");
    client.destroy();
    await until(() => fixture.gateway.requests() === 0, "it is over");
    await new Promise((resolve) => server.close(resolve));
  });

  it("writes nothing when nothing changes", async () => {
    await runtime.whenIdle();
    const version = async () => (await fixture.client.list(HTTPRoute)).metadata.resourceVersion;
    const before = await version();
    await runtime.stop();
    runtime = createRuntime({ client: fixture.client, reconcilers: gatewayReconcilers({ address: "127.0.0.1" }) });
    await runtime.start();
    await runtime.whenIdle();
    assert.equal(await version(), before);
  });
});
