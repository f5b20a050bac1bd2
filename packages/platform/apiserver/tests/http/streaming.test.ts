import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { after, before, test } from "node:test";
import type { TLSSocket } from "node:tls";
import { Exec, KubeConfig, PortForward } from "@kubernetes/client-node";
import { until } from "@trivium/testkit";
import { builtInResources } from "../../src/built-in/index.ts";
import { loadOrCreateIdentity, type RunningServer, type ServerIdentity, serveHttps } from "../../src/http/index.ts";
import { type Api, createApi } from "../../src/server.ts";
import { openMemoryStore } from "../../src/store/index.ts";
import type { PodStreams } from "../../src/streaming/pod-streams.ts";
import { clientOf } from "./client.ts";

const folder = await mkdtemp(join(tmpdir(), "trivium-streaming-"));
const echo = createServer((socket) => socket.pipe(socket));
let [gone, runs] = [0, 0];
/** A container that says what it was asked for, and then repeats what it reads until the client is done or gone. */
const podStreams: PodStreams = {
  exec:
    (_, { command }) =>
    async (streams) => {
      runs += 1;
      streams.gone.addEventListener("abort", () => {
        gone += 1;
      });
      streams.stdout?.write(`${command.join(" ")}\n`);
      streams.stderr?.write("careful\n");
      for await (const piece of streams.stdin ?? []) streams.stdout?.write(piece);
      if (command[0] === "wait") await new Promise((resolve) => streams.gone.addEventListener("abort", resolve));
      return { is: "exited", code: Number(command[1] ?? 0) };
    },
  attach: () => async () => ({ is: "exited", code: 0 }),
  addressOf: (_, port) => ({ host: "127.0.0.1", port }),
};
let api: Api;
let server: RunningServer;
let identity: ServerIdentity;
const reports: string[] = [];
const tokens = { viewer: "viewer-token-of-this-test", runner: "runner-token-of-this-test" };
const ask = (...args: Parameters<ReturnType<typeof clientOf>["ask"]>) => clientOf(server, identity).ask(...args);

before(async () => {
  identity = await loadOrCreateIdentity(folder);
  api = createApi({ store: openMemoryStore(), resources: builtInResources(), podStreams });
  await api.ready;
  server = await serveHttps(api, {
    identity,
    limits: { closeTime: 500 },
    tokens: (token) =>
      token === tokens.viewer || token === tokens.runner
        ? { user: token === tokens.viewer ? "viewer" : "runner", groups: ["system:authenticated"] }
        : undefined,
    report: (what, error) => reports.push(`${what}: ${error}`),
  });
  await new Promise<void>((resolve) => echo.listen(0, "127.0.0.1", resolve));
  const rbac = "/apis/rbac.authorization.k8s.io/v1/namespaces/default";
  const pod = { metadata: { name: "web" }, spec: { nodeName: "n", containers: [{ name: "c", image: "i" }] } };
  await create("/api/v1/namespaces/default/pods", { apiVersion: "v1", kind: "Pod", ...pod });
  for (const [user, verbs] of [
    ["viewer", ["get", "list"]],
    ["runner", ["get", "create"]],
  ] as const) {
    const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: user };
    const of = (kind: string) => ({ apiVersion: "rbac.authorization.k8s.io/v1", kind, metadata: { name: user } });
    const resources = ["pods", "pods/exec", "pods/attach", "pods/portforward"];
    await create(`${rbac}/roles`, { ...of("Role"), rules: [{ apiGroups: [""], resources, verbs }] });
    await create(`${rbac}/rolebindings`, { ...of("RoleBinding"), roleRef, subjects: [{ kind: "User", name: user }] });
  }
});
after(async () => {
  await server.close();
  await api.close();
  echo.close();
  await rm(folder, { recursive: true, force: true });
});

async function create(path: string, object: object): Promise<void> {
  const body = JSON.stringify(object);
  const answer = await ask(path, { method: "POST", body, headers: { "content-type": "application/json" } });
  assert.equal(answer.status, 201, answer.body);
}

const execPath = "/api/v1/namespaces/default/pods/web/exec?command=true&stdout=true&stdin=true";
const webSocket = {
  connection: "Upgrade",
  upgrade: "websocket",
  "sec-websocket-version": "13",
  "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
  "sec-websocket-protocol": "v5.channel.k8s.io",
};
const spdy = { connection: "Upgrade", upgrade: "SPDY/3.1", "x-stream-protocol-version": "v4.channel.k8s.io" };

/** Sends the head of a request on a connection of its own; what came back until the blank line. */
async function upgradeWith(
  path: string,
  headers: Record<string, string>,
  { method = "GET", token = identity.token } = {},
): Promise<{ socket: TLSSocket; head: string }> {
  const socket = await clientOf(server, identity).socket();
  socket.on("error", () => undefined);
  const lines = Object.entries({ host: "127.0.0.1", authorization: `Bearer ${token}`, ...headers });
  socket.write(`${method} ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n`);
  const [head] = (await once(socket, "data")) as [Buffer];
  return { socket, head: head.toString("latin1") };
}

function officialClient(): KubeConfig {
  const config = new KubeConfig();
  config.loadFromClusterAndUser(
    { name: "here", server: server.url, caData: Buffer.from(identity.authority).toString("base64") } as never,
    { name: "admin", token: identity.token } as never,
  );
  return config;
}

test("the official JavaScript client runs a command with input, output and exit code", async () => {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const [out, err]: [Buffer[], Buffer[]] = [[], []];
  stdout.on("data", (piece) => out.push(piece));
  stderr.on("data", (piece) => err.push(piece));
  const status = Promise.withResolvers<object>();
  const exec = new Exec(officialClient());
  await exec.exec("default", "web", "c", ["count", "3"], stdout, stderr, stdin, false, status.resolve);
  stdin.end("what was typed");
  const { details } = (await status.promise) as { details?: { causes?: unknown } };
  assert.deepEqual(details?.causes, [{ reason: "ExitCode", message: "3" }]);
  assert.equal(Buffer.concat(out).toString(), "count 3\nwhat was typed");
  assert.equal(Buffer.concat(err).toString(), "careful\n");
});

test("the official JavaScript client forwards a port", async () => {
  const { port } = echo.address() as { port: number };
  const [input, output] = [new PassThrough(), new PassThrough()];
  await new PortForward(officialClient()).portForward("default", "web", [port], output, null, input);
  input.write("there and back");
  const [back] = (await once(output, "data")) as [Buffer];
  assert.equal(back.toString(), "there and back");
  input.end();
});

test("a GET needs the right to create, and impersonation is carried out", async () => {
  for (const headers of [webSocket, spdy]) {
    const refused = await upgradeWith(execPath, headers, { token: tokens.viewer });
    assert.match(refused.head, /^HTTP\/1.1 403 /);
    assert.match(refused.head, /User \\"viewer\\" cannot create resource \\"pods\/exec\\"/);
    const allowed = await upgradeWith(execPath, headers, { token: tokens.runner });
    assert.match(allowed.head, /^HTTP\/1.1 101 /);
    allowed.socket.destroy();
    const impersonated = await upgradeWith(execPath, { ...headers, "impersonate-user": "viewer" });
    assert.match(impersonated.head, /^HTTP\/1.1 403 /);
    assert.match((await upgradeWith(execPath, headers, { token: "none" })).head, /^HTTP\/1.1 401 /);
  }
  const proxied = await ask("/api/v1/namespaces/default/pods/web/proxy/", { as: { token: tokens.runner } });
  assert.equal(proxied.status, 403);
});

test("pages of other origins are refused, those of this server are not", async () => {
  assert.match((await upgradeWith(execPath, { ...webSocket, origin: "https://evil.example" })).head, /^HTTP\/1.1 403 /);
  assert.match((await upgradeWith(execPath, { ...webSocket, origin: "null" })).head, /^HTTP\/1.1 403 /);
  const own = await upgradeWith(execPath, { ...webSocket, origin: "https://127.0.0.1" });
  assert.match(own.head, /^HTTP\/1.1 101 /);
  own.socket.destroy();
});

test("what is no such connection is refused with a reason", async () => {
  const plain = await ask(execPath, { method: "POST" });
  assert.equal(plain.status, 400);
  assert.match(plain.body, /Upgrade request required/);
  const cases: [string, Record<string, string>, RegExp][] = [
    ["/api/v1/namespaces/default/pods/none/exec?command=a&stdout=1", webSocket, /404 .*pods \\"none\\" not found/s],
    ["/api/v1/namespaces/default/pods/web/exec?stdout=1", webSocket, /400 .*at least 1 command/s],
    ["/api/v1/namespaces/default/pods/web/exec?command=a", webSocket, /400 .*at least one of stdin/s],
    ["/api/v1/namespaces/default/pods/web/exec?command=a&stdout=1&container=x", spdy, /400 .*x is not valid/s],
    ["/api/v1/namespaces/default/pods/web/portforward?ports=99999", webSocket, /400 .*invalid port/s],
    [execPath, { ...webSocket, "sec-websocket-protocol": "chat" }, /400 .*unable to negotiate protocol/s],
    [execPath, { ...webSocket, "sec-websocket-version": "8" }, /400 .*version 13/s],
    [execPath, { ...spdy, "x-stream-protocol-version": "v9" }, /403 .*unable to negotiate protocol/s],
    [execPath, { connection: "Upgrade", upgrade: "h2c" }, /400 .*Upgrade request required/s],
    ["/api/v1/namespaces/default/configmaps", webSocket, /^HTTP\/1.1 200 /],
  ];
  for (const [path, headers, expected] of cases) {
    const { socket, head } = await upgradeWith(path, headers);
    assert.match(head, expected);
    socket.destroy();
  }
});

test("a command learns that its client is gone", async () => {
  const path = "/api/v1/namespaces/default/pods/web/exec?command=wait&stdout=true";
  const before = gone;
  const { socket } = await upgradeWith(path, webSocket);
  socket.destroy();
  await until(() => gone > before);
});

test("hostile frames end their connection and nothing else", async () => {
  const random = seeded(7);
  const bytes = (length: number): Buffer => Buffer.from(Array.from({ length }, () => Math.floor(random() * 256)));
  const forward = "/api/v1/namespaces/default/pods/web/portforward?ports=1";
  const shapes: [string, Record<string, string>, (content: Buffer) => Buffer][] = [
    [execPath, webSocket, (content) => content],
    [execPath, webSocket, (content) => Buffer.concat([Buffer.of(0x82, 0xff, 0xff, 0, 0, 0, 0, 0, 0, 0), content])],
    [execPath, webSocket, (content) => Buffer.concat([Buffer.of(0x82, 0x80 | 20), content.subarray(0, 24)])],
    [execPath, webSocket, (content) => Buffer.concat([Buffer.of(0x01, 0x80, 0, 0, 0, 0).fill(0, 2), content])],
    [execPath, spdy, (content) => content],
    [execPath, spdy, (content) => Buffer.concat([Buffer.of(0x80, 3, 0, 1, 0, 0, 0, content.length), content])],
    [execPath, spdy, (content) => Buffer.concat([Buffer.of(0x80, 3, 0, 1, 0, 0xff, 0xff, 0xff), content])],
    [execPath, spdy, (content) => Buffer.concat([Buffer.of(0x80, 3, 0, 6, 0, 0, 0, 1), content])],
    [forward, { ...webSocket, "sec-websocket-protocol": "SPDY/3.1+portforward.k8s.io" }, (content) => content],
    [forward, { ...spdy, "x-stream-protocol-version": "portforward.k8s.io" }, (content) => content],
    [forward, { ...webSocket, "sec-websocket-protocol": "v4.channel.k8s.io" }, (content) => content],
  ];
  for (const [path, headers, shape] of shapes) {
    for (let round = 0; round < 12; round += 1) {
      const { socket, head } = await upgradeWith(path, headers);
      assert.match(head, /^HTTP\/1.1 101 /);
      socket.write(shape(bytes(Math.floor(random() * 120))));
      socket.end();
      socket.resume();
      await once(socket, "close");
    }
  }
  assert.deepEqual(reports, []);
  assert.equal((await ask("/readyz")).body, "ok");
});

/** The same numbers every time. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

test("a stopping server ends its streams", async () => {
  const { socket } = await upgradeWith("/api/v1/namespaces/default/pods/web/exec?command=wait&stdout=true", webSocket);
  assert.ok(runs > 0);
  socket.resume();
  const closed = once(socket, "close");
  await server.close();
  await closed;
});
