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
import { silentLog } from "@trivium/runtime";
import { Refusal } from "@trivium/std";
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

/** Starts an operator in this process, which must not come to be. */
async function assertRefused(args: readonly string[], complaint: RegExp): Promise<void> {
  const request = parseOptions(["--listen", "127.0.0.1:0", ...args]);
  assert.ok(request.is === "run");
  const starting = startOperator(
    request.options,
    { dialects: [sampleCluster] },
    { env: { HOME: home }, log: silentLog },
  );
  await assert.rejects(starting, (error: unknown) => {
    assert.ok(error instanceof Refusal, String(error));
    assert.match(error.message, complaint);
    assert.doesNotMatch(error.message, /hunter2/);
    return true;
  });
}

test("who cannot start says why", async (t) => {
  const { ca = "", server: url } = server.access;
  const credential = { is: "token", token: "hunter2" } as const;
  await writeKubeconfig(path("nobody"), { server: "https://127.0.0.1:9", authority: ca, credential });
  await writeKubeconfig(path("bad-token"), { server: url, authority: ca, credential });
  await writeKubeconfig(path("bad-ca"), { server: url, authority: stranger.authority, credential });
  const busy = createServer().listen(0, "127.0.0.1");
  t.after(() => busy.close());
  await once(busy, "listening");
  const taken = `127.0.0.1:${(busy.address() as { port: number }).port}`;
  const good = ["--kubeconfig", path("good")];

  await assertRefused([], /^no cluster is configured: .*set KUBECONFIG/);
  await assertRefused(["--kubeconfig", path("none")], /^cannot read kubeconfig .*none: file not found/);
  await assertRefused([...good, "--context", "x"], /^context "x" not found in .*: trivium/);
  await assertRefused(["--kubeconfig", path("nobody")], /^cannot reach https:\/\/127\.0\.0\.1:9: .*ECONNREFUSED/);
  await assertRefused(["--kubeconfig", path("bad-token")], /rejected the credentials of context "trivium"/);
  await assertRefused(["--kubeconfig", path("bad-ca")], /^cannot reach .*certificate/);
  await assertRefused(good, /CustomResourceDefinition not found: .*samples\.garden\.example.*--install-crds/);
  await assertRefused([...good, "--install-crds", "--listen", taken], /^cannot listen on .* \(EADDRINUSE\).*--listen/);
  await assertRefused([...good, "--operator-namespace", "nowhere"], /^Namespace nowhere .* not found/);
});

test("a process that cannot start prints one line and ends; one that is asked for permissions prints YAML", async () => {
  const [refused, printed] = [run("--kubeconfig", path("good")), run("--print-rbac")];
  assert.equal(await refused.ended, 1);
  const complaint =
    /^error: CustomResourceDefinition not found: aimclusterimages\.aim\.silogen\.ai, .*--install-crds.*\n$/;
  assert.match(refused.errors(), complaint);
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
