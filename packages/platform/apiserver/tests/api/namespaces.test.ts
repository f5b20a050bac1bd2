import assert from "node:assert/strict";
import { test } from "node:test";
import { configMap, configMaps, startApi } from "./harness.ts";

const namespaces = "/api/v1/namespaces";

test("a fresh server has the namespaces of a fresh cluster, furnished", async () => {
  const { get } = await startApi({ rootCertificate: "PEM" });
  const list = (await get(namespaces)).json.items;
  assert.deepEqual(
    list.map(({ metadata }: { metadata: { name: string } }) => metadata.name),
    ["default", "kube-node-lease", "kube-public", "kube-system"],
  );
  for (const name of ["default", "kube-system"]) {
    assert.equal((await get(`${namespaces}/${name}/serviceaccounts/default`)).status, 200);
    assert.deepEqual((await get(`${namespaces}/${name}/configmaps/kube-root-ca.crt`)).json.data, { "ca.crt": "PEM" });
  }
});

test("a new namespace is labelled, active and furnished; its furniture comes back", async () => {
  const { post, get, remove, api } = await startApi();
  const made = (await post(namespaces, { metadata: { name: "team" } })).json;
  assert.deepEqual(
    [made.metadata.labels, made.spec.finalizers, made.status],
    [{ "kubernetes.io/metadata.name": "team" }, ["kubernetes"], { phase: "Active" }],
  );
  await api.idle();
  await remove(`${namespaces}/team/serviceaccounts/default`);
  await api.idle();
  assert.equal((await get(`${namespaces}/team/serviceaccounts/default`)).status, 200);
});

test("a deleted namespace takes everything in it along", async () => {
  const { post, get, remove, api, store } = await startApi();
  await post(namespaces, { metadata: { name: "team" } });
  await post(`${namespaces}/team/configmaps`, configMap("a"));
  await post(`${namespaces}/team/secrets`, { metadata: { name: "s" } });
  await post("/apis/apps/v1/namespaces/team/deployments", {
    metadata: { name: "d" },
    spec: {
      selector: { matchLabels: { a: "b" } },
      template: { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i" }] } },
    },
  });
  const going = (await remove(`${namespaces}/team`)).json;
  assert.equal(going.status.phase, "Terminating");
  await api.idle();
  assert.equal((await get(`${namespaces}/team`)).status, 404);
  for (const resource of ["configmaps", "secrets", "deployments.apps", "serviceaccounts"]) {
    assert.deepEqual([...store.list(resource, { namespace: "team" })], [], resource);
  }
  assert.equal((await post(namespaces, { metadata: { name: "team" } })).status, 201);
});

test("what holds a namespace up is said in its conditions", async () => {
  const { post, get, remove, patch, api } = await startApi();
  await post(namespaces, { metadata: { name: "team" } });
  await post(`${namespaces}/team/configmaps`, { metadata: { name: "held", finalizers: ["test/hold"] } });
  await remove(`${namespaces}/team`);
  await api.idle();
  const { conditions } = (await get(`${namespaces}/team`)).json.status;
  assert.deepEqual(
    conditions.map(({ type, status }: Record<string, string>) => `${type}=${status}`),
    [
      "NamespaceDeletionDiscoveryFailure=False",
      "NamespaceDeletionGroupVersionParsingFailure=False",
      "NamespaceDeletionContentFailure=False",
      "NamespaceContentRemaining=True",
      "NamespaceFinalizersRemaining=True",
    ],
  );
  assert.equal(conditions[3].message, "Some resources are remaining: configmaps. has 1 resource instances");
  assert.equal(
    conditions[4].message,
    "Some content in the namespace has finalizers remaining: test/hold in 1 resource instances",
  );
  await patch(`${namespaces}/team/configmaps/held`, { metadata: { finalizers: null } });
  await api.idle();
  assert.equal((await get(`${namespaces}/team`)).status, 404);
});

test("the namespaces that others build on cannot be deleted", async () => {
  const { remove } = await startApi();
  const refused = await remove(`${namespaces}/default`);
  assert.deepEqual(
    [refused.status, refused.failure.message],
    [403, 'namespaces "default" is forbidden: this namespace may not be deleted'],
  );
});

test("finalize is the only way to a namespace's own finalizers", async () => {
  const { post, put, patch, get, remove, api } = await startApi();
  const made = (await post(namespaces, { metadata: { name: "team" }, spec: { finalizers: ["test/extra"] } })).object;
  await patch(`${namespaces}/team`, { spec: { finalizers: [] } });
  assert.deepEqual((await get(`${namespaces}/team`)).json.spec.finalizers.toSorted(), ["kubernetes", "test/extra"]);
  await remove(`${namespaces}/team`);
  await api.idle();
  assert.deepEqual((await get(`${namespaces}/team`)).json.spec.finalizers, ["test/extra"]);
  const done = await put(`${namespaces}/team/finalize`, { metadata: { name: made.metadata.name }, spec: {} });
  assert.equal(done.status, 200, done.text);
  assert.equal((await get(`${namespaces}/team`)).status, 404);
});

test("a start after a stop finds everything and takes up what was left", async () => {
  const first = await startApi();
  await first.post(namespaces, { metadata: { name: "team" } });
  await first.post(configMaps, configMap("kept"));
  await first.api.idle();
  await first.api.close();
  await first.remove(`${namespaces}/team`);
  const second = await startApi({ store: first.store });
  await second.api.idle();
  assert.equal((await second.get(`${namespaces}/team`)).status, 404);
  assert.equal((await second.get(`${configMaps}/kept`)).status, 200);
});
