import assert from "node:assert/strict";
import { after, test } from "node:test";
import { createClient, httpTransport, loadKubeconfig } from "@trivium/client";
import { ClusterRole, ClusterRoleBinding, ConfigMap, Namespace, ServiceAccount } from "@trivium/kube";
import { startControlPlane } from "../../../../tools/cluster/control-plane.ts";
import { createDashboard } from "../src/dashboard.ts";
import { serveDashboard } from "../src/serve.ts";
import { send } from "./fixture.ts";
import { openStream } from "./stream.ts";

const plane = await startControlPlane();
after(async () => {
  if (typeof plane !== "string") await plane.stop();
});

const namespace = `dashboard-${process.pid}`;
const path = `/api/v1/namespaces/${namespace}/configmaps`;
const rbac = "rbac.authorization.k8s.io/v1";
/** Controllers write into the namespace, too. */
const labels = { of: "test" };
const watched = `${path}?labelSelector=of%3Dtest`;
const mapOf = (name: string): ConfigMap => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, namespace, labels },
});

/** With the real authentication, authorization and watch cache of Kubernetes. */
test("on a real API server users log in with their tokens, have their rights, and watches resume", {
  skip: typeof plane === "string" ? plane : false,
}, async (t) => {
  if (typeof plane === "string") return;
  const access = await loadKubeconfig(plane.kubeconfig);
  const transport = httpTransport(access);
  t.after(() => transport.close());
  const client = createClient(transport);
  const token = await prepareUser(client, transport);
  const { server, ca, serverName, skipTlsVerify } = access;
  const dashboard = createDashboard({
    assets: "/nowhere",
    login: {
      is: "cluster-token",
      connect(given) {
        const own = httpTransport({ server, ca, serverName, skipTlsVerify, token: given });
        return { transport: own, server, namespace, close: () => own.close() };
      },
    },
    isReadOnly: false,
    allowedHosts: [],
    version: "test",
    log: (message, error) => assert.fail(`${message}: ${error}`),
  });
  const { port, close } = await serveDashboard(dashboard, { host: "127.0.0.1", port: 0 });
  t.after(close);

  const wrong = await send(port, "/session", { method: "POST", body: { token: `${token}x` } });
  assert.deepEqual([wrong.status, wrong.json.error?.code], [401, "LoginFailed"]);
  const { headers, json } = await send(port, "/session", { method: "POST", body: { token } });
  assert.equal((json.user as { name: string }).name, `system:serviceaccount:${namespace}:viewer`);
  const cookie = headers["set-cookie"]?.[0]?.split(";", 1)[0] ?? "";
  const refused = await send(port, "/k8s/api/v1/nodes", { cookie });
  assert.deepEqual([refused.status, refused.json.reason], [403, "Forbidden"]);
  const written = await send(port, `/k8s${path}`, { method: "POST", cookie, body: mapOf("mine") });
  assert.equal(written.status, 403, "reading is not writing");

  await client.create(ConfigMap, mapOf("first"));
  const stream = openStream(port, cookie, [
    { id: "maps", path: watched },
    { id: "nodes", path: "/api/v1/nodes" },
  ]);
  const { items, resourceVersion } = await stream.list("maps");
  assert.ok(items.some(({ metadata }) => metadata.name === "first"));
  assert.deepEqual([(await stream.error("nodes")).code, (await stream.error("nodes")).isRetried], [403, false]);
  await client.create(ConfigMap, mapOf("second"));
  await stream.event("maps", "second");
  stream.close();
  await client.create(ConfigMap, mapOf("third"));
  const resumed = openStream(port, cookie, [{ id: "maps", path: watched, resourceVersion }]);
  await resumed.event("maps", "third");
  const names = resumed.lines.flatMap((line) => ("object" in line ? [line.object.metadata.name] : []));
  assert.deepEqual(names, ["second", "third"]);
  resumed.close();
});

async function prepareUser(
  client: ReturnType<typeof createClient>,
  transport: ReturnType<typeof httpTransport>,
): Promise<string> {
  const name = "viewer";
  await client.create(Namespace, { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
  await client.create(ServiceAccount, { apiVersion: "v1", kind: "ServiceAccount", metadata: { name, namespace } });
  const metadata = { name: `${namespace}-viewer` };
  const rules = [{ apiGroups: [""], resources: ["configmaps"], verbs: ["get", "list", "watch"] }];
  await client.create(ClusterRole, { apiVersion: rbac, kind: "ClusterRole", metadata, rules });
  await client.create(ClusterRoleBinding, {
    apiVersion: rbac,
    kind: "ClusterRoleBinding",
    metadata,
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: metadata.name },
    subjects: [{ kind: "ServiceAccount", name, namespace }],
  });
  const issued = await transport({
    method: "POST",
    path: `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`,
    headers: { accept: "application/json", "content-type": "application/json" },
    body: '{"apiVersion":"authentication.k8s.io/v1","kind":"TokenRequest","spec":{}}',
  });
  return (JSON.parse(String(issued.body)) as { status: { token: string } }).status.token;
}
