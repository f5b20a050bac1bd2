import assert from "node:assert/strict";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import { type AddressInfo, connect as connectTo, createServer as createGate, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { TLSSocket } from "node:tls";
import { loadOrCreateIdentity, type ServerIdentity } from "@trivium/apiserver";
import { ConfigMap } from "@trivium/kube";
import type { HttpOptions } from "../src/http-transport.ts";
import { createClient, type HttpTransport, httpTransport, loadKubeconfig } from "../src/index.ts";

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

let home: string;
let identity: ServerIdentity;
let server: Server;
let url: string;
let handle: Handler;
const open: HttpTransport[] = [];

before(async () => {
  home = await mkdtemp(join(tmpdir(), "trivium-client-"));
  identity = await loadOrCreateIdentity(join(home, "identity"));
  const { cert, key } = identity.server;
  const tls = { cert, key, ca: identity.authority, requestCert: true, rejectUnauthorized: false };
  server = createServer(tls, (request, response) => handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

after(async () => {
  await Promise.all(open.map((transport) => transport.close()));
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await rm(home, { recursive: true });
});

function connect(options: Partial<HttpOptions> = {}) {
  const transport = httpTransport({ server: url, ca: identity.authority, ...options });
  open.push(transport);
  return createClient(transport);
}

const json = (response: ServerResponse, body: unknown, status = 200): void => {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
};
const ref = { namespace: "default", name: "x" };

test("trusts the authority it was given and no other", async () => {
  handle = (_, response) => json(response, { metadata: { name: "x" } });
  assert.equal((await connect().get(ConfigMap, ref)).metadata.name, "x");
  const system = httpTransport({ server: url });
  open.push(system);
  await assert.rejects(createClient(system).get(ConfigMap, ref), { code: 0, message: /certificate/ });
});

test("shows a client certificate, and a token beside it", async () => {
  let observed: unknown[] = [];
  handle = (request, response) => {
    const socket = request.socket as TLSSocket;
    observed = [socket.getPeerCertificate().subject?.CN, request.headers.authorization, request.headers["user-agent"]];
    json(response, {});
  };
  await connect({ ...identity.admin, token: "secret", userAgent: "tests/1" }).get(ConfigMap, ref);
  assert.deepEqual(observed, ["trivium-admin", "Bearer secret", "tests/1"]);
});

test("reads a rotated token from its file when the old one is refused", async () => {
  const tokenFile = join(home, "token");
  await writeFile(tokenFile, "old\n");
  let good = "Bearer old";
  handle = (request, response) => json(response, {}, request.headers.authorization === good ? 200 : 401);
  const client = connect({ tokenFile });
  await client.get(ConfigMap, ref);
  good = "Bearer new";
  await writeFile(tokenFile, "new\n");
  await client.get(ConfigMap, ref);
  good = "Bearer never";
  await assert.rejects(client.get(ConfigMap, ref), { code: 401, reason: "Unauthorized" });
});

test("a watch: characters cut in two, silence longer than the timeout, an end by abort", async () => {
  const event = Buffer.from(
    `${JSON.stringify({ type: "ADDED", object: { kind: "ConfigMap", metadata: { name: "żółw" } } })}\n`,
  );
  const middle = event.indexOf(Buffer.from("ż")) + 1;
  handle = (_, response) => {
    response.writeHead(200, { "content-type": "application/json" });
    response.write(event.subarray(0, middle));
    setTimeout(() => response.write(event.subarray(middle)), 2_500);
  };
  const stop = new AbortController();
  const names: unknown[] = [];
  for await (const { object } of connect({ timeout: 1_000 }).watch(ConfigMap, { signal: stop.signal })) {
    names.push((object as ConfigMap).metadata.name);
    stop.abort();
  }
  assert.deepEqual(names, ["żółw"]);
});

test("an ordinary call that stays silent too long fails; watches do not hold others up", async () => {
  handle = (request, response) => {
    if (request.url?.includes("watch=true")) return response.writeHead(200).flushHeaders();
    if (request.url?.endsWith("/x")) json(response, {});
    return undefined;
  };
  const client = connect({ timeout: 120_000 });
  const stop = new AbortController();
  const watches = Array.from({ length: 20 }, async () => {
    for await (const _ of client.watch(ConfigMap, { signal: stop.signal }));
  });
  await Promise.all(Array.from({ length: 20 }, () => client.get(ConfigMap, ref)));
  const impatient = connect({ timeout: 1_000 });
  await assert.rejects(impatient.get(ConfigMap, { ...ref, name: "silent" }), { code: 0, message: /Timeout/ });
  stop.abort();
  await Promise.all(watches);
});

test("a server too busy for the first handshake gets the call at the second", async (t) => {
  handle = (_, response) => json(response, { metadata: { name: "x" } }, 201);
  const sockets: Socket[] = [];
  const gate = createGate((socket) => {
    sockets.push(socket);
    if (sockets.length > 1) socket.pipe(connectTo((server.address() as AddressInfo).port, "127.0.0.1")).pipe(socket);
  });
  await new Promise<void>((resolve) => gate.listen(0, "127.0.0.1", resolve));
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    gate.close();
  });
  const client = connect({
    server: `https://127.0.0.1:${(gate.address() as AddressInfo).port}`,
    connectTimeout: 1_500,
  });
  const made = await client.create(ConfigMap, { apiVersion: "v1", kind: "ConfigMap", metadata: ref });
  assert.deepEqual([made.metadata.name, sockets.length], ["x", 2]);
});

test("a call can be given up, and a server that is not there is named", async () => {
  handle = () => {};
  const stop = new AbortController();
  const call = connect().get(ConfigMap, ref, { signal: stop.signal });
  setTimeout(() => stop.abort(new Error("enough")), 20);
  await assert.rejects(call, /enough/);
  const nobody = httpTransport({ server: "http://127.0.0.1:1" });
  open.push(nobody);
  await assert.rejects(createClient(nobody).get(ConfigMap, ref), { code: 0, message: /ECONNREFUSED/ });
});

test("connections are kept and used again", async () => {
  const ports = new Set<number | undefined>();
  handle = (request, response) => {
    ports.add(request.socket.remotePort);
    json(response, {});
  };
  const client = connect();
  for (let i = 0; i < 20; i += 1) await client.get(ConfigMap, ref);
  // A second one is opened when a call comes before the first is known to be free again.
  assert.ok(ports.size <= 2, `${ports.size} connections`);
});

test("kubeconfig: files beside it, inline material, a path under the server, several files", async () => {
  let path = "";
  handle = (request, response) => {
    path = request.url ?? "";
    const { CN } = (request.socket as TLSSocket).getPeerCertificate().subject ?? {};
    json(response, { metadata: { name: CN } });
  };
  await writeFile(join(home, "ca.pem"), identity.authority);
  const base64 = (text: string) => Buffer.from(text).toString("base64");
  const users = `users:
- name: u
  user: {client-certificate-data: ${base64(identity.admin.cert)}, client-key-data: ${base64(identity.admin.key)}}
`;
  const main = `current-context: c
contexts:
- {name: c, context: {cluster: k, user: u, namespace: team}}
clusters:
- {name: k, cluster: {server: "${url}/prefix/", certificate-authority: ca.pem}}
users: [{name: other, user: {}}]
`;
  const [one, two] = [join(home, "one"), join(home, "two")];
  await Promise.all([writeFile(one, main), writeFile(two, users)]);
  const access = await loadKubeconfig({ env: { KUBECONFIG: `${one}:${two}:${join(home, "not-there")}` } });
  assert.deepEqual([access.context, access.namespace], ["c", "team"]);
  const transport = httpTransport(access);
  open.push(transport);
  const found = await createClient(transport).get(ConfigMap, ref);
  assert.deepEqual([found.metadata.name, path], ["trivium-admin", "/prefix/api/v1/namespaces/default/configmaps/x"]);
  await assert.rejects(
    loadKubeconfig({ path: one, context: "nope" }),
    /context "nope" not found in kubeconfig .*; available: c/,
  );
  await assert.rejects(loadKubeconfig(join(home, "not-there")), /file not found/);
  await assert.rejects(loadKubeconfig(home), /it is a folder; name a file in it/);
  await assert.rejects(loadKubeconfig({ path: one }), /user "u" not found in kubeconfig .*; available: other/);
});

test("kubeconfig: a credential plugin is run once while its login is good, and again when it is refused", async () => {
  const plugin = join(home, "plugin.sh");
  const counter = join(home, "count");
  await writeFile(
    plugin,
    `#!/bin/sh
echo x >> ${counter}
echo '{"kind":"ExecCredential","status":{"token":"'"$PREFIX-$(wc -l < ${counter} | tr -d ' ')"'"}}'
`,
  );
  await chmod(plugin, 0o755);
  const config = join(home, "exec");
  await writeFile(
    config,
    `current-context: c
contexts: [{name: c, context: {cluster: k, user: u}}]
clusters: [{name: k, cluster: {server: "${url}", insecure-skip-tls-verify: true}}]
users: [{name: u, user: {exec: {command: ${plugin}, env: [{name: PREFIX, value: t}]}}}]
`,
  );
  const observed: unknown[] = [];
  let refused = "";
  handle = (request, response) => {
    observed.push(request.headers.authorization);
    json(response, {}, request.headers.authorization === refused ? 401 : 200);
  };
  const transport = httpTransport(await loadKubeconfig(config));
  open.push(transport);
  const client = createClient(transport);
  await Promise.all([client.get(ConfigMap, ref), client.get(ConfigMap, ref)]);
  refused = "Bearer t-1";
  await client.get(ConfigMap, ref);
  assert.deepEqual(observed, ["Bearer t-1", "Bearer t-1", "Bearer t-1", "Bearer t-2"]);
});

test("kubeconfig: what cannot be honoured is refused in words", async () => {
  const path = join(home, "odd");
  const write = (user: string, cluster = `server: "${url}"`) =>
    writeFile(
      path,
      `current-context: c
contexts: [{name: c, context: {cluster: k, user: u}}]
clusters: [{name: k, cluster: {${cluster}}}]
users: [{name: u, user: {${user}}}]
`,
    );
  await write("as: root");
  await assert.rejects(loadKubeconfig(path), /impersonates/);
  await write("auth-provider: {name: gcp}");
  await assert.rejects(loadKubeconfig(path), /auth-provider/);
  await write("", `server: "${url}", proxy-url: "http://proxy"`);
  await assert.rejects(loadKubeconfig(path), /proxy/);
  await write("client-certificate: missing.pem");
  await assert.rejects(loadKubeconfig(path), /missing.pem, which cannot be read/);
  await writeFile(path, "{ broken: [");
  await assert.rejects(loadKubeconfig(path), /is not valid YAML/);
});

test("without a limit of its own calls go out at once, and each waits as long as an overloaded server asks", async () => {
  const arrivals: { readonly name: string; readonly at: number }[] = [];
  handle = (request, response) => {
    const name = request.url ?? "";
    arrivals.push({ name, at: performance.now() });
    if (arrivals.filter((each) => each.name === name).length > 1) return json(response, { metadata: { name } });
    response.writeHead(429, { "retry-after": "1" }).end();
  };
  const client = connect();
  const names = Array.from({ length: 200 }, (_, i) => `x${i}`);
  await Promise.all(names.map((name) => client.get(ConfigMap, { namespace: "default", name })));
  const order = Map.groupBy(arrivals, ({ name }) => name);
  assert.equal(order.size, names.length);
  for (const [first, second, ...more] of order.values()) {
    assert.ok((second?.at ?? 0) - (first?.at ?? 0) >= 990, "the second attempt came before the server asked for it");
    assert.deepEqual(more, []);
  }
});

test("calls one after the other, and a watch after them, share one connection", async () => {
  const connections = new Set<Socket>();
  handle = (request, response) => {
    connections.add(request.socket);
    if (!request.url?.includes("watch=true")) return json(response, { metadata: {}, items: [] });
    response.writeHead(200).write(`${JSON.stringify({ type: "ADDED", object: { metadata: { name: "x" } } })}\n`);
  };
  const client = connect();
  for (let i = 0; i < 5; i += 1) await client.list(ConfigMap);
  const stop = new AbortController();
  for await (const { type } of client.watch(ConfigMap, { signal: stop.signal })) {
    assert.equal(type, "ADDED");
    stop.abort();
  }
  assert.equal(connections.size, 1);
});
