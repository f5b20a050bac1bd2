import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import {
  type Api,
  builtInResources,
  createApi,
  loadOrCreateIdentity,
  openMemoryStore,
  serveHttps,
} from "@trivium/apiserver";
import { createClient, type HttpAccess, type HttpTransport, httpTransport } from "@trivium/client";
import { ClusterRoleBinding, ConfigMap, type Kind, type KubeClient, type KubeObject } from "@trivium/kube";
import { type FaultProxy, planFaults, startFaultProxy, turns } from "../src/index.ts";
import type { ProxyFault } from "../src/proxy-faults.ts";

let home: string;
let api: Api;
let server: Awaited<ReturnType<typeof serveHttps>>;
let proxy: FaultProxy;
let transport: HttpTransport;
let client: KubeClient;

before(async () => {
  home = await mkdtemp(join(tmpdir(), "trivium-proxy-"));
  api = createApi({ store: openMemoryStore(), resources: builtInResources() });
  await api.ready;
  await createClient(api.transport({ user: "admin", groups: ["system:masters"] })).create(ClusterRoleBinding, {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRoleBinding",
    metadata: { name: "gardener" },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "cluster-admin" },
    subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "gardener" }],
  });
  const identity = await loadOrCreateIdentity(join(home, "identity"));
  server = await serveHttps(api, { identity });
  const upstream: HttpAccess = { server: server.url, ca: identity.authority, token: identity.token };
  proxy = await startFaultProxy({ upstream, identity, actAs: "gardener" });
  transport = httpTransport({ server: proxy.url, ca: identity.authority, token: "of the proxy's caller" });
  client = createClient(transport);
});
after(async () => {
  await transport.close();
  await proxy.close();
  await server.close();
  await api.close();
  await rm(home, { recursive: true });
});

/** Who the server takes the caller for. */
type Review = KubeObject & { status?: { userInfo?: { username?: string } } };
const SelfSubjectReview: Kind<Review> = {
  group: "authentication.k8s.io",
  version: "v1",
  kind: "SelfSubjectReview",
  plural: "selfsubjectreviews",
  namespaced: false,
};

const note = (name: string): ConfigMap => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, namespace: "default" },
});
const plan = (...faults: (ProxyFault | undefined)[]) => {
  const upcoming = [...faults];
  return () => upcoming.shift();
};

test("without a plan calls go through, as the user they are meant to be", async () => {
  const review: Review = { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview", metadata: {} };
  const { status } = await client.create(SelfSubjectReview, review);
  assert.equal(status?.userInfo?.username, "gardener");
  proxy.writes.length = 0;
  await client.create(ConfigMap, note("plain"), { fieldManager: "test" });
  await client.get(ConfigMap, { namespace: "default", name: "plain" });
  assert.deepEqual(proxy.writes, [{ method: "POST", path: "/api/v1/namespaces/default/configmaps" }]);
});

test("each fault is answered as a server would, and only a lost answer was carried out", async () => {
  proxy.follow(plan("conflict", "broken", "lost-answer", "too-many"));
  await assert.rejects(client.create(ConfigMap, note("x")), { code: 409, reason: "Conflict" });
  await assert.rejects(client.create(ConfigMap, note("x")), { code: 500, reason: "InternalError" });
  await assert.rejects(client.get(ConfigMap, { namespace: "default", name: "x" }), { reason: "NotFound" });
  await assert.rejects(client.create(ConfigMap, note("x")), { code: 500, reason: "InternalError" });
  await client.get(ConfigMap, { namespace: "default", name: "x" });
  proxy.writes.length = 0;
  // The client waits the second it is asked to, and tries again by itself.
  await client.create(ConfigMap, note("y"));
  assert.deepEqual(
    proxy.writes.map(({ fault }) => fault),
    ["too-many", undefined],
  );
  proxy.follow();
});

test("a watch that is cut is a broken connection, and its history is not lost", async () => {
  const { metadata } = await client.list(ConfigMap, { namespace: "default" });
  const from = { namespace: "default", resourceVersion: metadata.resourceVersion ?? "" };
  const drain = async () => {
    for await (const _ of client.watch(ConfigMap, from));
  };
  const broken = assert.rejects(drain(), { code: 0 });
  while (proxy.cutWatches() === 0) await turns();
  await broken;
  await client.create(ConfigMap, note("meanwhile"));
  for await (const event of client.watch(ConfigMap, from)) {
    assert.equal(event.type === "ADDED" && event.object.metadata.name, "meanwhile");
    break;
  }
});

test("plans are the same for the same seed, keep to their rate, and end", () => {
  const draw = (seed: number) => {
    const next = planFaults({ seed, rate: 0.05, most: 60 });
    return Array.from({ length: 2_000 }, next);
  };
  assert.deepEqual(draw(1), draw(1));
  assert.notDeepEqual(draw(1), draw(2));
  const faults = draw(3).filter((fault) => fault !== undefined);
  assert.equal(faults.length, 60);
  assert.deepEqual(faults.slice(0, 4), ["conflict", "too-many", "broken", "lost-answer"]);
  const first = draw(4)
    .slice(0, 1_000)
    .filter((fault) => fault !== undefined).length;
  assert.ok(first > 25 && first < 60, `${first} faults in a thousand writes`);
});
