import assert from "node:assert/strict";
import { after, test } from "node:test";
import { createClient, httpTransport, loadKubeconfig } from "@trivium/client";
import { createDashboard, serveDashboard } from "@trivium/dashboard-server";
import { apiAnswers } from "@trivium/explain";
import { type AnyObject, ClusterRoleBinding, type KubeClient, Namespace, ServiceAccount } from "@trivium/kube";
import { InferenceService } from "@trivium/llmkube";
import { dialects } from "@trivium/local";
import { createRuntime } from "@trivium/runtime";
import { startChromium, until } from "@trivium/testkit";
import type { Page } from "playwright-core";
import { startControlPlane } from "../../../tools/cluster/control-plane.ts";
import { goTo } from "./stage/open.ts";
import { findFailure, planted, plantFailures } from "./stage/planted.ts";
import { builtPages, define } from "./stage/stage.ts";

const plane = await startControlPlane();
const chromium = await startChromium();
after(async () => {
  if (chromium.is === "running") await chromium.stop();
  if (typeof plane !== "string") await plane.stop();
});
const missing = typeof plane === "string" ? plane : chromium.is === "missing" ? chromium.why : undefined;
const namespace = `browser-${process.pid}`;

/** The whole way of a user of a cluster: log-in by token, the cause of a failure, an edit, and a change that arrives. */
test("on a real control plane a user logs in with a token, finds failures, and edits what his rights allow", {
  skip: missing ?? false,
}, async (t) => {
  assert.ok(typeof plane !== "string" && chromium.is === "running");
  const access = await loadKubeconfig(plane.kubeconfig);
  const transport = httpTransport(access);
  t.after(() => transport.close());
  const client = createClient(transport);
  await define(client);
  await client.create(Namespace, { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
  const reconcilers = dialects.flatMap((dialect) => dialect.reconcilers);
  const runtime = createRuntime({ client, reconcilers, answers: apiAnswers(client) });
  await runtime.start();
  t.after(() => runtime.stop());
  await plantFailures(client, namespace);
  const { server, ca, serverName, skipTlsVerify } = access;
  const dashboard = createDashboard({
    assets: await builtPages(),
    login: {
      is: "cluster-token",
      connect(token) {
        const own = httpTransport({ server, ca, serverName, skipTlsVerify, token });
        return { transport: own, server, namespace, close: () => own.close() };
      },
    },
    isReadOnly: false,
    allowedHosts: [],
    version: "test",
    log: () => undefined,
  });
  const { port, close } = await serveDashboard(dashboard, { host: "127.0.0.1", port: 0 });
  t.after(close);
  const origin = `http://127.0.0.1:${port}`;

  const editor = await chromium.open();
  await logIn(editor.page, origin, await createUser(client, transport, { name: "editor", role: "cluster-admin" }));
  for (const failure of planted) await findFailure(editor.page, client, failure, namespace);
  await edit(editor.page);
  const changed = (await client.get(InferenceService, { namespace, name: "llmkube-broken" })) as AnyObject;
  assert.equal((changed.spec as { replicas: number }).replicas, 2);
  await goTo(editor.page, "#/services", "Services");
  await client.delete(InferenceService, { namespace, name: "llmkube-broken" });
  await editor.page.getByRole("link", { name: "llmkube-broken" }).waitFor({ state: "detached" });
  await editor.close();

  const viewer = await chromium.open();
  const token = await createUser(client, transport, { name: "viewer", role: "view" });
  await logIn(viewer.page, origin, token);
  await viewer.page
    .getByText(/is forbidden: User .* cannot list/)
    .first()
    .waitFor();
  // A token that the cluster refuses ends the session at the next call.
  await client.delete(ServiceAccount, { namespace, name: "viewer" });
  const own = httpTransport({ server, ca, serverName, skipTlsVerify, token });
  t.after(() => own.close());
  await until(async () => (await own({ method: "GET", path: "/api", headers: {} })).status === 401);
  await viewer.page.evaluate("location.hash = '#/nodes'");
  await viewer.page.getByText(/^Session ended: /).waitFor();
  await viewer.page.getByLabel("Token of a user or service account").waitFor();
  await viewer.close();
});

async function logIn(page: Page, origin: string, token: string): Promise<void> {
  await page.goto(origin);
  await page.getByLabel("Token of a user or service account").fill("wrong");
  await page.getByRole("button", { name: "Log in" }).click();
  await page.getByText("The cluster does not accept this token").waitFor();
  await page.getByLabel("Token of a user or service account").fill(token);
  await page.getByRole("button", { name: "Log in" }).click();
  await page.getByText("Live", { exact: true }).waitFor();
  const kept = await page.evaluate(
    "JSON.stringify([location.href, {...localStorage}, {...sessionStorage}, document.cookie])",
  );
  assert.ok(!String(kept).includes(token), "the token stays with the server");
}

async function edit(page: Page): Promise<void> {
  await goTo(page, `#/services/llmkube/${namespace}/llmkube-broken/yaml`, "llmkube-broken");
  await page.getByRole("button", { name: "Edit" }).click();
  const editor = page.getByLabel("Manifest", { exact: true }).locator("textarea");
  await editor.fill((await editor.inputValue()).replace("replicas: 1", "replicas: 2"));
  await page.getByRole("button", { name: "Dry run", exact: true }).click();
  await page.getByRole("button", { name: "Dry run, and take over fields of other managers" }).click();
  await page.getByRole("heading", { name: "What would change" }).waitFor();
  await page.locator(".diff-added", { hasText: "replicas: 2" }).waitFor();
  await page.getByRole("button", { name: "Apply" }).click();
  await page.getByText("Applied").waitFor();
}

interface User {
  readonly name: string;
  readonly role: string;
}

/** A service account with a role in the whole cluster, and a token of it. */
async function createUser(
  client: KubeClient,
  transport: ReturnType<typeof httpTransport>,
  { name, role }: User,
): Promise<string> {
  await client.create(ServiceAccount, { apiVersion: "v1", kind: "ServiceAccount", metadata: { name, namespace } });
  await client.create(ClusterRoleBinding, {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRoleBinding",
    metadata: { name: `${namespace}-${name}` },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: role },
    subjects: [{ kind: "ServiceAccount", name, namespace }],
  });
  const { body } = await transport({
    method: "POST",
    path: `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`,
    headers: { accept: "application/json", "content-type": "application/json" },
    body: '{"apiVersion":"authentication.k8s.io/v1","kind":"TokenRequest","spec":{}}',
  });
  return (JSON.parse(String(body)) as { status: { token: string } }).status.token;
}
