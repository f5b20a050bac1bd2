import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import {
  builtInResources,
  createAccountTokens,
  createApi,
  loadOrCreateIdentity,
  openMemoryStore,
  serveHttps,
  writeKubeconfig,
} from "@trivium/apiserver";
import { createClient } from "@trivium/client";
import { ClusterRole, ClusterRoleBinding, ServiceAccount } from "@trivium/kube";
import { until } from "@trivium/testkit";
import { killLeftovers, shippedOperator, startOperatorProcess } from "./story/operator-process.ts";

const closing = new AsyncDisposableStack();
let home: string;
let token: string;
const admin = { user: "test", groups: ["system:masters"] };

/** A cluster whose operator is its administrator, and a user who can list pods. */
before(async () => {
  home = await mkdtemp(join(tmpdir(), "trivium-operator-dashboard-"));
  const identity = await loadOrCreateIdentity(join(home, "identity"));
  const tokens = createAccountTokens(identity.accountKey);
  const api = createApi({ store: openMemoryStore(), resources: builtInResources(), tokens });
  await api.ready;
  const server = await serveHttps(api, { identity, tokens: api.tokenOwner });
  closing.defer(() => api.close());
  closing.defer(() => server.close());
  const credential = { is: "certificate", pair: identity.admin } as const;
  await writeKubeconfig(join(home, "config"), { server: server.url, authority: identity.authority, credential });
  const client = createClient(api.transport(admin));
  const named = { metadata: { name: "viewer", namespace: "default" } };
  await client.create(ServiceAccount, { apiVersion: "v1", kind: "ServiceAccount", ...named });
  await client.create(ClusterRole, {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRole",
    metadata: { name: "viewer" },
    rules: [{ apiGroups: [""], resources: ["pods"], verbs: ["list"] }],
  });
  await client.create(ClusterRoleBinding, {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRoleBinding",
    metadata: { name: "viewer" },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "viewer" },
    subjects: [{ kind: "ServiceAccount", name: "viewer", namespace: "default" }],
  });
  const issued = await api.transport(admin)({
    method: "POST",
    path: "/api/v1/namespaces/default/serviceaccounts/viewer/token",
    headers: { accept: "application/json", "content-type": "application/json" },
    body: '{"spec":{}}',
  });
  token = (JSON.parse(String(issued.body)) as { status: { token: string } }).status.token;
});
after(async () => {
  killLeftovers();
  await closing.disposeAsync();
  await rm(home, { recursive: true, force: true });
});

const headers = { "x-trivium-request": "1", "content-type": "application/json" };

test("the dashboard of an operator gives its users their own rights, never the operator's", async () => {
  const config = ["--kubeconfig", join(home, "config"), "--install-crds", "--listen", "off", "--no-leader-election"];
  const options = [...config, "--dashboard-port", "0", "--dashboard-hosts", "models.example.com"];
  const operator = startOperatorProcess(shippedOperator, options, { PATH: process.env.PATH, HOME: home });
  const portOf = () => operator.lines().find(({ msg }) => msg === "serving the dashboard")?.port;
  await until(() => portOf() !== undefined, "the port of the dashboard");
  const origin = `http://127.0.0.1:${portOf()}`;
  const anonymous = (await (await fetch(`${origin}/session`)).json()) as Record<string, unknown>;
  assert.deepEqual([anonymous.needsLogin, anonymous.login], [true, "cluster-token"]);
  const wrong = await fetch(`${origin}/session`, { method: "POST", headers, body: '{"token":"wrong"}' });
  assert.equal(wrong.status, 401);
  const answer = await fetch(`${origin}/session`, { method: "POST", headers, body: JSON.stringify({ token }) });
  const session = (await answer.json()) as { user: { name: string }; dialectOptions: object };
  assert.equal(session.user.name, "system:serviceaccount:default:viewer");
  assert.deepEqual(Object.keys(session.dialectOptions).sort(), ["aim", "llmkube", "ome"]);
  const cookie = answer.headers.get("set-cookie")?.split(";", 1)[0] ?? "";
  const statusOf = async (path: string) => (await fetch(`${origin}/k8s${path}`, { headers: { cookie } })).status;
  assert.equal(await statusOf("/api/v1/pods"), 200);
  assert.equal(await statusOf("/api/v1/nodes"), 403, "the operator can, the user cannot");
  assert.equal(await operator.end("SIGTERM"), 0, operator.errors());
  assert.ok(!operator.output().includes(token), "no token in the log");
});

test("a port in use ends the start with what to do", async () => {
  const first = startOperatorProcess(
    shippedOperator,
    ["--kubeconfig", join(home, "config"), "--listen", "127.0.0.1:0", "--no-leader-election"],
    { PATH: process.env.PATH, HOME: home },
  );
  await until(() => !first.address().includes("undefined"), "the port of its health");
  const port = first.address().split(":").at(-1) ?? "";
  const second = startOperatorProcess(
    shippedOperator,
    ["--kubeconfig", join(home, "config"), "--listen", "off", "--no-leader-election", "--dashboard-port", port],
    { PATH: process.env.PATH, HOME: home },
  );
  assert.equal(await second.ended, 1);
  assert.match(second.errors(), /cannot listen on port \d+ \(EADDRINUSE\); choose another port with --dashboard-port/);
  await first.end("SIGTERM");
});
