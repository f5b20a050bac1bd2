import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { formatKubeconfig, loadOrCreateIdentity, type ServerIdentity, writeKubeconfig } from "@trivium/apiserver";
import { createClient, httpTransport } from "@trivium/client";
import { Lease } from "@trivium/kube";
import { startEmbeddedServer } from "./story/embedded-server.ts";
import {
  killLeftovers,
  type OperatorProcess,
  shippedOperator,
  startOperatorProcess,
} from "./story/operator-process.ts";

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

async function assertRefused(operator: OperatorProcess, complaint: RegExp): Promise<void> {
  assert.equal(await operator.ended, 1);
  assert.match(operator.errors(), complaint);
  assert.equal(operator.errors().trimEnd().split("\n").length, 1, "one line");
  assert.deepEqual(operator.lines(), []);
}

test("who cannot start says in one line why", async (t) => {
  const { ca = "", server: url } = server.access;
  const token = { is: "token", token: "hunter2" } as const;
  await writeKubeconfig(path("nobody"), { server: "https://127.0.0.1:9", authority: ca, credential: token });
  await writeKubeconfig(path("bad-token"), { server: url, authority: ca, credential: token });
  await writeKubeconfig(path("bad-ca"), { server: url, authority: stranger.authority, credential: token });
  assert.match(formatKubeconfig({ server: url, authority: ca, credential: token }), /hunter2/);
  const busy = createServer().listen(0, "127.0.0.1");
  t.after(() => busy.close());
  await once(busy, "listening");
  const taken = `127.0.0.1:${(busy.address() as { port: number }).port}`;

  await assertRefused(run(), /^error: no cluster is configured: .*set KUBECONFIG/);
  await Promise.all([
    assertRefused(run("--kubeconfg", "x"), /^error: unknown option '--kubeconfg'.*--help/),
    assertRefused(
      run("--kubeconfig", path("none")),
      /^error: cannot read the kubeconfig .*none: there is no such file/,
    ),
    assertRefused(run("--kubeconfig", path("good"), "--context", "x"), /^error: context "x" is not in .*: trivium/),
  ]);
  await Promise.all([
    assertRefused(run("--kubeconfig", path("nobody")), /^error: cannot reach https:\/\/127\.0\.0\.1:9: .*ECONNREFUSED/),
    assertRefused(run("--kubeconfig", path("bad-token")), /^error: .*does not accept the login of context "trivium"/),
    assertRefused(run("--kubeconfig", path("bad-ca")), /^error: cannot reach .*certificate/),
    assertRefused(
      run("--kubeconfig", path("good")),
      /^error: the cluster has no definition of aimclusterimages\.aim\.silogen\.ai, .*--install-crds/,
    ),
  ]);
  const install = run("--kubeconfig", path("good"), "--install-crds", "--listen", taken);
  await assertRefused(install, /^error: cannot listen on 127\.0\.0\.1:\d+ \(EADDRINUSE\).*--listen/);
});

test("permissions are printed without a cluster", async () => {
  const operator = run("--print-rbac");
  assert.equal(await operator.ended, 0, operator.errors());
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
  const holder = async () =>
    (await createClient(transport).get(Lease, { namespace: "default", name: "trivium-operator" })).spec?.holderIdentity;
  assert.equal(await holder(), "me");
  assert.equal(await operator.end("SIGTERM"), 0, operator.errors());
  assert.equal(await holder(), "");
  await transport.close();
  assert.deepEqual(
    operator.lines().map(({ level }) => level),
    ["info", "info", "info", "info"],
  );
});
