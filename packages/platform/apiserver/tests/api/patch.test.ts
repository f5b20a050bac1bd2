import assert from "node:assert/strict";
import { test } from "node:test";
import { configMap, configMaps, definitions, startApi, widget, widgetDefinition, widgets } from "./harness.ts";

const deployments = "/apis/apps/v1/namespaces/default/deployments";
const deployment = (name: string) => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name },
  spec: {
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: "main", image: "one" }] } },
  },
});

test("merge, JSON and strategic patches each do what they are", async () => {
  const { post, patch } = await startApi();
  await post(configMaps, configMap("a", { data: { x: "1", y: "2" } }));
  assert.deepEqual((await patch(`${configMaps}/a`, { data: { x: null, z: "3" } })).json.data, { y: "2", z: "3" });
  const operations = [
    { op: "test", path: "/data/y", value: "2" },
    { op: "add", path: "/data/w", value: "4" },
    { op: "remove", path: "/data/z" },
  ];
  assert.deepEqual((await patch(`${configMaps}/a`, operations, "json")).json.data, { y: "2", w: "4" });
  await post(deployments, deployment("d"));
  const containers = { spec: { template: { spec: { containers: [{ name: "side", image: "two" }] } } } };
  const strategic = await patch(`${deployments}/d`, containers, "strategic");
  assert.deepEqual(
    strategic.json.spec.template.spec.containers.map(({ name }: { name: string }) => name),
    ["side", "main"],
  );
  const merged = await patch(`${deployments}/d`, containers, "merge");
  assert.equal(merged.json.spec.template.spec.containers.length, 1);
});

test("patches that cannot be are refused in the words clients know", async () => {
  const { post, patch, send } = await startApi();
  await post(configMaps, configMap("a", { data: { x: "1" } }));
  const failed = async (body: unknown, kind: "merge" | "json" | "strategic") => {
    const { status, failure } = await patch(`${configMaps}/a`, body, kind);
    return [status, failure.message];
  };
  const rejected = "the server rejected our request due to an error in our request";
  assert.deepEqual(await failed([{ op: "test", path: "/data/x", value: "9" }], "json"), [422, rejected]);
  assert.deepEqual(await failed([{ op: "remove", path: "/data/none" }], "json"), [422, rejected]);
  assert.deepEqual(await failed("{", "merge"), [400, "error decoding patch: unexpected end of JSON input"]);
  assert.deepEqual(await failed("[1]", "merge"), [
    400,
    "error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}",
  ]);
  assert.deepEqual(await failed("{}", "json"), [
    400,
    "error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp",
  ]);
  assert.equal((await patch(`${configMaps}/none`, {})).status, 404);
  assert.equal((await send("PATCH", `${configMaps}/a`, "{}", { "content-type": "application/json" })).status, 415);
  const typed = await patch(`${configMaps}/a`, { data: { x: 5 } });
  assert.deepEqual([typed.status, typed.failure.details?.causes?.[0]?.field], [422, "patch"]);
  const old = await patch(`${configMaps}/a`, { metadata: { resourceVersion: "1" }, data: { x: "2" } });
  assert.deepEqual([old.status, old.failure.reason], [409, "Conflict"]);
  await post(definitions, widgetDefinition());
  await post(widgets, widget("w"));
  const strategic = await patch(`${widgets}/w`, {}, "strategic");
  assert.deepEqual(
    [strategic.status, strategic.failure.message],
    [
      415,
      "the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml",
    ],
  );
});

test("patches at the same time all take effect", async () => {
  const { post, patch, get } = await startApi();
  await post(configMaps, configMap("a"));
  const keys = Array.from({ length: 50 }, (_, index) => `k${index}`);
  const answers = await Promise.all(keys.map((key) => patch(`${configMaps}/a`, { data: { [key]: "x" } })));
  assert.ok(answers.every(({ status }) => status === 200));
  assert.deepEqual(Object.keys((await get(`${configMaps}/a`)).json.data).sort(), keys.toSorted());
});

test("a dry run shows the result and stores nothing", async () => {
  const { post, patch, get } = await startApi();
  const made = (await post(configMaps, configMap("a"))).object;
  const dry = await patch(`${configMaps}/a?dryRun=All`, { data: { x: "1" } });
  assert.deepEqual([dry.status, dry.json.data], [200, { x: "1" }]);
  assert.deepEqual((await get(`${configMaps}/a`)).object, made);
});

test("apply creates, owns, conflicts, forces and lets go", async () => {
  const { patch, get } = await startApi();
  const apply = (manager: string, data: object, query = "") =>
    patch(`${configMaps}/a?fieldManager=${manager}${query}`, { ...configMap("a"), data }, "apply");
  const created = await apply("one", { x: "1", y: "1" });
  assert.equal(created.status, 201);
  assert.equal((await apply("two", { z: "2" })).status, 200);
  const refused = await apply("two", { x: "2", z: "2" });
  assert.equal(refused.status, 409);
  assert.equal(refused.failure.message, 'Apply failed with 1 conflict: conflict with "one": .data.x');
  assert.deepEqual(refused.failure.details?.causes, [
    { reason: "FieldManagerConflict", message: 'conflict with "one"', field: ".data.x" },
  ]);
  assert.equal((await apply("two", { x: "2", z: "2" }, "&force=true")).status, 200);
  await apply("one", { x: "2" });
  assert.deepEqual(
    (await get(`${configMaps}/a`)).json.data,
    { x: "2", z: "2" },
    "y went with the manager that dropped it",
  );
  await apply("one", {});
  assert.deepEqual((await get(`${configMaps}/a`)).json.data, { x: "2", z: "2" }, "x stays with the other owner");
});

test("an apply that changes nothing writes nothing, one that adds an owner does", async () => {
  const { patch, store } = await startApi();
  const apply = (manager: string) =>
    patch(`${configMaps}/a?fieldManager=${manager}`, configMap("a", { data: { x: "1" } }), "apply");
  await apply("one");
  const before = store.revision;
  await apply("one");
  assert.equal(store.revision, before);
  await apply("two");
  assert.equal(store.revision, before + 1);
});

test("apply to a custom resource: defaults, validation, status apart", async () => {
  const { post, patch, get } = await startApi();
  await post(definitions, widgetDefinition());
  const yaml = "apiVersion: shop.example/v1\nkind: Widget\nmetadata:\n  name: w\nspec:\n  size: 3\n";
  const made = await patch(`${widgets}/w?fieldManager=me`, yaml, "apply");
  assert.deepEqual([made.status, made.json.spec], [201, { size: 3, replicas: 2 }]);
  const wrong = await patch(`${widgets}/v?fieldManager=me`, widget("v", { size: 0 }), "apply");
  assert.equal(
    wrong.failure.message,
    'Widget.shop.example "v" is invalid: spec.size: Invalid value: 0: spec.size in body should be greater than or equal to 1',
  );
  const unknown = await patch(`${widgets}/w?fieldManager=me`, widget("w", { size: 3, colour: "red" }), "apply");
  assert.equal(
    unknown.failure.message,
    "failed to create typed patch object (/w; shop.example/v1, Kind=Widget): .spec.colour: field not declared in schema",
  );
  await patch(
    `${widgets}/w/status?fieldManager=ctl`,
    { ...widget("w", { size: 99 }), status: { phase: "Up" } },
    "apply",
  );
  const after = (await get(`${widgets}/w`)).json;
  assert.deepEqual([after.spec.size, after.status], [3, { phase: "Up" }]);
  assert.equal((await patch(`${widgets}/none/status?fieldManager=ctl`, widget("none"), "apply")).status, 404);
});

test("apply needs a manager, a kind and a clean slate", async () => {
  const { patch } = await startApi();
  const message = async (query: string, body: object) =>
    (await patch(`${configMaps}/a${query}`, body, "apply")).failure.message;
  assert.equal(
    await message("", configMap("a")),
    'PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: is required for apply patch',
  );
  assert.equal(await message("?fieldManager=m", { data: {} }), "invalid object type: /, Kind=");
  assert.equal(
    await message("?fieldManager=m", { ...configMap("a"), metadata: { name: "a", managedFields: [] } }),
    "metadata.managedFields must be nil",
  );
  assert.equal(
    (await patch(`${configMaps}/a?force=true`, {})).failure.message,
    'PatchOptions.meta.k8s.io "" is invalid: force: Forbidden: may not be specified for non-apply patch',
  );
});

test("a typo inside a list is named, whichever patch brings it", async () => {
  const { post, patch } = await startApi();
  await post(deployments, deployment("typo"));
  const typo = {
    spec: { template: { spec: { containers: [{ name: "main", image: "one", imagePullPolcy: "Never" }] } } },
  };
  const path = `${deployments}/typo?fieldValidation=Strict`;
  const operation = { op: "add", path: "/spec/template/spec/containers/0/imagePullPolcy", value: "Never" };
  const expected = 'unknown field "spec.template.spec.containers[0].imagePullPolcy"';
  for (const [kind, body] of [
    ["strategic", typo],
    ["merge", typo],
    ["json", [operation]],
  ] as const) {
    const { status, failure } = await patch(path, body, kind);
    assert.equal(status, 422, kind);
    const [cause] = failure.details?.causes ?? [];
    assert.equal(cause?.field, "patch");
    assert.ok(failure.message?.endsWith(`strict decoding error: ${expected}`), failure.message);
    assert.ok(failure.message?.includes(String.raw`\"imagePullPolcy\":\"Never\"`), failure.message);
  }
  const warned = await patch(`${deployments}/typo`, typo, "strategic");
  assert.deepEqual([warned.status, warned.warnings], [200, [`299 - ${JSON.stringify(expected)}`]]);
});
