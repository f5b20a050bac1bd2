import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { loadOrCreateIdentity, type ServerIdentity, writeKubeconfig } from "@trivium/apiserver";
import { createClient, httpTransport } from "@trivium/client";
import { Lease } from "@trivium/kube";
import { type Log, silentLog } from "@trivium/runtime";
import { Refusal } from "@trivium/std";
import { startFaultProxy, until } from "@trivium/testkit";
import { parseOptions, startOperator } from "../src/index.ts";
import { startEmbeddedServer } from "./story/embedded-server.ts";
import {
  killLeftovers,
  type OperatorProcess,
  shippedOperator,
  startOperatorProcess,
} from "./story/operator-process.ts";
import { sampleCluster } from "./story/sample-dialect.ts";

type Embedded = Awaited<ReturnType<typeof startEmbeddedServer>>;

let home: string;
let server: Embedded;
let stranger: ServerIdentity;
const path = (name: string): string => join(home, name);

before(async () => {
  home = await mkdtemp(join(tmpdir(), "trivium-process-"));
  server = await startEmbeddedServer();
  stranger = await loadOrCreateIdentity(path("stranger"));
  const { ca = "", cert = "", key = "" } = server.access;
  const credential = { is: "certificate", pair: { cert, key } } as const;
  await writeKubeconfig(path("good"), { server: server.access.server, authority: ca, credential });
});
after(async () => {
  killLeftovers();
  await server.close();
  await rm(home, { recursive: true });
});

const run = (...args: string[]): OperatorProcess =>
  startOperatorProcess(shippedOperator, args, { PATH: process.env.PATH, HOME: home });

/** Starts an operator in this process, which has to end it. */
function startHere(args: readonly string[], log: Log, signal: AbortSignal): ReturnType<typeof startOperator> {
  const request = parseOptions(["--listen", "127.0.0.1:0", ...args]);
  assert.ok(request.is === "run");
  return startOperator(request.options, { dialects: [sampleCluster] }, { env: { HOME: home }, log, signal });
}

async function assertRefused(args: readonly string[], complaint: RegExp): Promise<void> {
  await assert.rejects(startHere(args, silentLog, AbortSignal.timeout(60_000)), (error: unknown) => {
    assert.ok(error instanceof Refusal, String(error));
    assert.match(error.message, complaint);
    assert.doesNotMatch(error.message, /hunter2/);
    return true;
  });
}

/** Starts an operator that has to wait: the log says why, and so does /readyz. */
async function assertWaits(args: readonly string[], cause: RegExp): Promise<void> {
  const stopping = new AbortController();
  let address: string | undefined;
  const reported = Promise.withResolvers<string>();
  const log: Log = {
    ...silentLog,
    info: (fields) => (address ??= (fields as { address?: string }).address),
    warn: (_, message) => reported.resolve(message),
  };
  const starting = startHere(args, log, stopping.signal);
  starting.catch(reported.reject);
  const message = await reported.promise;
  assert.match(message, cause);
  assert.match(message, /; retrying automatically$/);
  assert.doesNotMatch(message, /hunter2/);
  const ready = await fetch(`http://${address}/readyz`);
  assert.equal(ready.status, 503);
  assert.equal(`${(await ready.text()).trimEnd()}; retrying automatically`, message);
  stopping.abort(new Error("stopped"));
  await assert.rejects(starting, /stopped/);
}

test("an operator with a wrong option ends and reports it", async (t) => {
  const busy = createServer().listen(0, "127.0.0.1");
  t.after(() => busy.close());
  await once(busy, "listening");
  const taken = `127.0.0.1:${(busy.address() as { port: number }).port}`;
  const good = ["--kubeconfig", path("good")];

  await assertRefused([], /^no cluster is configured: .*set KUBECONFIG/);
  await assertRefused(["--kubeconfig", path("none")], /^cannot read kubeconfig .*none: file not found/);
  await assertRefused([...good, "--context", "x"], /^context "x" not found in .*: trivium/);
  await assertRefused([...good, "--install-crds", "--listen", taken], /^cannot listen on .* \(EADDRINUSE\).*--listen/);
});

test("an operator whose cluster lacks something waits and reports it", async () => {
  const { ca = "", server: url } = server.access;
  const credential = { is: "token", token: "hunter2" } as const;
  await writeKubeconfig(path("nobody"), { server: "https://127.0.0.1:9", authority: ca, credential });
  await writeKubeconfig(path("bad-token"), { server: url, authority: ca, credential });
  await writeKubeconfig(path("bad-ca"), { server: url, authority: stranger.authority, credential });
  const good = ["--kubeconfig", path("good")];

  await assertWaits(["--kubeconfig", path("nobody")], /^cannot reach https:\/\/127\.0\.0\.1:9: .*ECONNREFUSED/);
  await assertWaits(["--kubeconfig", path("bad-token")], /rejected the credentials of context "trivium"/);
  await assertWaits(["--kubeconfig", path("bad-ca")], /^cannot reach .*certificate/);
  await assertWaits(good, /CustomResourceDefinition not found: .*samples\.garden\.example.*--install-crds/);
  await assertWaits([...good, "--install-crds", "--operator-namespace", "nowhere"], /^Namespace nowhere .* not found/);
});

test("an operator waits for a server that is away, overloaded or refuses it, and then runs", async (t) => {
  const late = await startEmbeddedServer();
  const proxy = await startFaultProxy({ upstream: late.access, identity: stranger });
  t.after(async () => {
    await proxy.close();
    await late.close();
  });
  const credential = { is: "token", token: stranger.token } as const;
  await writeKubeconfig(path("late"), { server: proxy.url, authority: stranger.authority, credential });
  const startAgain = await late.interrupt?.();
  const operator = run("--kubeconfig", path("late"), "--install-crds", "--listen", "127.0.0.1:0");
  const warnings = () => operator.lines().filter(({ level }) => level === "warn");
  const reported = (cause: RegExp): Promise<void> => until(() => warnings().some(({ msg }) => cause.test(msg)));

  await reported(/^cannot reach https:.*; check that the server is running/);
  assert.equal((await fetch(`http://${operator.address()}/readyz`)).status, 503);
  assert.equal((await fetch(`http://${operator.address()}/healthz`)).status, 200);
  proxy.refuse("unavailable");
  await reported(/^cannot use https:.*: the server is currently unable to handle the request;/);
  proxy.refuse("forbidden");
  await reported(/^not allowed: the user cannot do this; apply the output of --print-rbac;/);
  await startAgain?.();
  proxy.refuse();
  await operator.ready();
  assert.equal((await fetch(`http://${operator.address()}/readyz`)).status, 200);
  assert.equal(await operator.end("SIGTERM"), 0, operator.errors());
  const causes = warnings().map(({ msg }) => msg);
  assert.deepEqual(causes, [...new Set(causes)], "each cause is logged once");
});

test("a process with a wrong option prints one line and ends; --print-rbac prints YAML", async () => {
  const [refused, printed] = [run("--kubeconfig", path("none")), run("--print-rbac")];
  assert.equal(await refused.ended, 1);
  assert.match(refused.errors(), /^error: cannot read kubeconfig .*none: file not found.*\n$/);
  assert.equal(refused.output(), "");
  assert.equal(await printed.ended, 0, printed.errors());
  assert.match(printed.output(), /^kind: ClusterRole$/m);
  for (const dialect of ["aim", "ome", "llmkube"])
    assert.match(printed.output(), new RegExp(`trivium-${dialect}-edit`));
});

test("an operator of one dialect needs and installs that one alone", async () => {
  const printed = run("--print-rbac", "--install-crds", "--dialects", "llmkube");
  assert.equal(await printed.ended, 0, printed.errors());
  assert.match(printed.output(), /inference\.llmkube\.dev/);
  assert.doesNotMatch(printed.output(), /aim\.silogen\.ai|ome\.io/);
});

test("with its definitions it runs, says how many reconcilers, serves health and metrics, and stops cleanly", async () => {
  const operator = run("--kubeconfig", path("good"), "--install-crds", "--listen", "127.0.0.1:0", "--identity", "me");
  await operator.ready();
  const line = operator.lines().find(({ msg }) => msg.startsWith("running"));
  assert.match(line?.msg ?? "", /^running \d+ reconcilers?.* in all namespaces$/);
  const read = async (what: string) => {
    const answer = await fetch(`http://${operator.address()}${what}`);
    return [answer.status, await answer.text()] as const;
  };
  assert.deepEqual(await read("/healthz"), [200, "ok\n"]);
  assert.deepEqual(await read("/readyz"), [200, "ok\n"]);
  assert.match((await read("/metrics"))[1], /^trivium_is_leader [01]$/m);
  assert.equal((await read("/else"))[0], 404);
  assert.equal((await fetch(`http://${operator.address()}/healthz`, { method: "POST" })).status, 405);

  const transport = httpTransport(server.access);
  const client = createClient(transport);
  const holder = async () =>
    (await client.get(Lease, { namespace: "default", name: "trivium-operator" })).spec?.holderIdentity;
  // Ready is who has seen everything; the Lease comes when its call has its turn.
  const watched = { namespace: "default", resourceVersion: "0", signal: AbortSignal.timeout(120_000) };
  for await (const event of client.watch(Lease, watched)) {
    if (event.type !== "BOOKMARK" && event.object.spec?.holderIdentity === "me") break;
  }
  assert.equal(await holder(), "me");
  assert.equal(await operator.end("SIGTERM"), 0, operator.errors());
  assert.equal(await holder(), "");
  await transport.close();
  assert.deepEqual(
    operator.lines().map(({ level }) => level),
    ["info", "info", "info", "info"],
  );
});

test("stopped the moment it leads, whether or not its start has ended, it gives the Lease back", async () => {
  const transport = httpTransport(server.access);
  const client = createClient(transport);
  const lease = { namespace: "default", name: "moment" };
  const holder = async () => (await client.get(Lease, lease).catch(() => undefined))?.spec?.holderIdentity;
  const args = ["--kubeconfig", path("good"), "--install-crds", "--listen", "off", "--lease-name", lease.name];
  const operator = run(...args, "--identity", "me");
  for (const end = performance.now() + 120_000; (await holder()) !== "me"; )
    assert.ok(performance.now() < end, operator.output() + operator.errors());
  assert.equal(await operator.end("SIGTERM"), 0, operator.errors());
  assert.equal(await holder(), "");
  await transport.close();
});

test("it works on when nobody reads its log any more", async () => {
  const operator = run("--kubeconfig", path("good"), "--install-crds", "--listen", "127.0.0.1:0", "--log-level=debug");
  await operator.ready();
  operator.stopReading();
  assert.equal((await fetch(`http://${operator.address()}/readyz`)).status, 200);
  assert.equal(await operator.end("SIGTERM"), 0);
});
