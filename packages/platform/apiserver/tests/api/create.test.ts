import assert from "node:assert/strict";
import { test } from "node:test";
import { configMap, configMaps, startApi } from "./harness.ts";

test("a created object has its metadata filled in and can be read back as it was answered", async () => {
  const { post, get } = await startApi({ clock: () => Date.UTC(2026, 0, 2, 3, 4, 5) });
  const forged = { uid: "mine", creationTimestamp: "2020-01-01T00:00:00Z", deletionTimestamp: "2020-01-01T00:00:00Z" };
  const created = await post(configMaps, { metadata: { name: "a", ...forged }, data: { x: "1" } });
  assert.equal(created.status, 201);
  const { metadata, ...rest } = created.object;
  assert.deepEqual(rest, { apiVersion: "v1", kind: "ConfigMap", data: { x: "1" } });
  assert.match(metadata.uid ?? "", /^[0-9a-f-]{36}$/);
  assert.equal(metadata.creationTimestamp, "2026-01-02T03:04:05Z");
  assert.equal(metadata.namespace, "default");
  assert.equal(metadata.deletionTimestamp, undefined);
  assert.deepEqual(metadata.managedFields, [
    {
      manager: "tester",
      operation: "Update",
      apiVersion: "v1",
      time: "2026-01-02T03:04:05Z",
      fieldsType: "FieldsV1",
      fieldsV1: { "f:data": { ".": {}, "f:x": {} } },
    },
  ]);
  assert.deepEqual((await get(`${configMaps}/a`)).object, created.object);
});

test("names are generated, required, checked and unique", async () => {
  const { post } = await startApi();
  const generated = await post(configMaps, { metadata: { generateName: "job-" } });
  assert.match(generated.object.metadata.name ?? "", /^job-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
  const long = await post(configMaps, { metadata: { generateName: "x".repeat(80) } });
  assert.equal(long.object.metadata.name?.length, 63);
  const nameless = await post(configMaps, { metadata: {} });
  assert.equal(nameless.status, 422);
  assert.equal(
    nameless.failure.message,
    'ConfigMap "" is invalid: metadata.name: Required value: name or generateName is required',
  );
  for (const name of ["A", "a/b", "..", "a b", "-a", "x".repeat(254)]) {
    const refused = await post(configMaps, configMap(name));
    assert.deepEqual([refused.status, refused.failure.details?.causes?.[0]?.field], [422, "metadata.name"], name);
  }
  await post(configMaps, configMap("one"));
  const twice = await post(configMaps, configMap("one"));
  assert.deepEqual(twice.failure, {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message: 'configmaps "one" already exists',
    reason: "AlreadyExists",
    details: { name: "one", kind: "configmaps" },
    code: 409,
  });
});

test("a dry run answers as the real thing and leaves nothing behind", async () => {
  const { post, get, store } = await startApi();
  const before = store.revision;
  const dry = await post(`${configMaps}?dryRun=All`, configMap("a"));
  assert.equal(dry.status, 201);
  assert.equal(dry.object.metadata.resourceVersion, undefined);
  assert.equal((await get(`${configMaps}/a`)).status, 404);
  assert.equal(store.revision, before);
  await post(configMaps, configMap("a"));
  assert.equal((await post(`${configMaps}?dryRun=All`, configMap("a"))).status, 409);
  const odd = await post(`${configMaps}?dryRun=Some`, configMap("b"));
  assert.equal(
    odd.failure.message,
    'CreateOptions.meta.k8s.io "" is invalid: dryRun: Unsupported value: ["Some"]: supported values: "All"',
  );
});

test("the namespace must be there, must not be going, and must be the one of the path", async () => {
  const { post, remove } = await startApi();
  const nowhere = await post("/api/v1/namespaces/nope/configmaps", configMap("a"));
  assert.deepEqual([nowhere.status, nowhere.failure.message], [404, 'namespaces "nope" not found']);
  const other = await post(configMaps, { metadata: { name: "a", namespace: "kube-system" } });
  assert.deepEqual(
    [other.status, other.failure.message],
    [400, "the namespace of the provided object does not match the namespace sent on the request"],
  );
  await post("/api/v1/namespaces", { metadata: { name: "old" } });
  await post("/api/v1/namespaces/old/configmaps", { metadata: { name: "held", finalizers: ["test/hold"] } });
  await remove("/api/v1/namespaces/old");
  const late = await post("/api/v1/namespaces/old/configmaps", configMap("late"));
  assert.equal(
    late.failure.message,
    'configmaps "late" is forbidden: unable to create new content in namespace old because it is being terminated',
  );
  assert.deepEqual(late.failure.details?.causes, [
    { reason: "NamespaceTerminating", message: "namespace old is being terminated", field: "metadata.namespace" },
  ]);
});

test("every fault of the metadata is a cause of its own", async () => {
  const { post } = await startApi();
  const refused = await post(configMaps, {
    metadata: {
      name: "a",
      labels: { "a b": "c d" },
      annotations: { "x y": "" },
      ownerReferences: [
        { apiVersion: "v1", kind: "Pod", name: "p", uid: "1", controller: true },
        { apiVersion: "v1", kind: "Pod", name: "q", controller: true },
      ],
      finalizers: ["unqualified"],
    },
  });
  assert.deepEqual(
    refused.failure.details?.causes?.map(({ field }) => field),
    [
      "metadata.labels",
      "metadata.labels",
      "metadata.annotations",
      "metadata.ownerReferences.uid",
      "metadata.ownerReferences",
      "metadata.finalizers[0]",
    ],
  );
});

test("unknown and repeated fields are warned of, refused or ignored as asked", async () => {
  const { send, post, get } = await startApi();
  const body = (name: string) => `{"metadata":{"name":"${name}","odd":3},"foo":1,"data":{"x":"1","x":"2"}}`;
  const warned = await post(configMaps, body("warn"));
  assert.deepEqual(warned.warnings, [
    '299 - "unknown field \\"metadata.odd\\""',
    '299 - "unknown field \\"foo\\""',
    '299 - "duplicate field \\"data.x\\""',
  ]);
  assert.deepEqual((await get(`${configMaps}/warn`)).json.data, { x: "2" });
  const strict = await post(`${configMaps}?fieldValidation=Strict`, body("strict"));
  assert.equal(
    strict.failure.message,
    'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: unknown field "metadata.odd", unknown field "foo", duplicate field "data.x"',
  );
  const ignored = await send("POST", `${configMaps}?fieldValidation=Ignore`, body("ignore"));
  assert.deepEqual([ignored.status, ignored.warnings], [201, []]);
});

test("the manager is the one named, or the first word of the user agent", async () => {
  const { send } = await startApi();
  const managerOf = async (name: string, query: string, agent: string) => {
    const made = await send("POST", `${configMaps}${query}`, configMap(name, { data: { a: "b" } }), {
      "user-agent": agent,
    });
    return made.object.metadata.managedFields?.[0]?.manager;
  };
  assert.equal(await managerOf("a", "", "kubectl/v1.32.0 (linux/amd64)"), "kubectl");
  assert.equal(await managerOf("b", "?fieldManager=me", "kubectl/v1.32.0"), "me");
});

test("bodies in YAML are read as Kubernetes reads YAML", async () => {
  const { send } = await startApi();
  const yaml = "metadata:\n  name: some\ndata:\n  when: '2020-01-01'\n  text: |\n    two\n    lines\n";
  const made = await send("POST", configMaps, yaml, { "content-type": "application/yaml" });
  assert.deepEqual(made.json.data, { when: "2020-01-01", text: "two\nlines\n" });
  const job = "metadata: {name: b}\nimmutable: yes\n";
  const flagged = await send("POST", configMaps, job, { "content-type": "application/yaml" });
  assert.equal(flagged.json.immutable, true);
});
