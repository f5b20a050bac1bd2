import assert from "node:assert/strict";
import { test } from "node:test";
import { configMap, configMaps, definitions, startApi, widget, widgetDefinition, widgets } from "./harness.ts";

test("bodies that are no objects get a 400 that says so", async () => {
  const { send } = await startApi();
  const cases: [string, string][] = [
    ["", "unexpected end of JSON input (<empty>)"],
    ['{"kind":', 'unexpected end of JSON input ({"kind":)'],
    ['{"a":x}', "invalid character 'x' looking for beginning of value"],
    ["[]", "cannot unmarshal array"],
    ['"x"', "cannot unmarshal string"],
    ["{'a': 1}", "invalid character ''' looking for beginning of object key string"],
  ];
  for (const [body, words] of cases) {
    const refused = await send("POST", configMaps, body, { "content-type": "application/json" });
    assert.equal(refused.status, 400, body);
    assert.ok(refused.failure.message?.includes(words), `${body}: ${refused.failure.message}`);
  }
});

test("deep nesting is refused in every kind of body", async () => {
  const { send, patch, post } = await startApi();
  const deep = `${'{"a":'.repeat(10_000)}1${"}".repeat(10_000)}`;
  assert.equal((await send("POST", configMaps, deep)).status, 400);
  await post(configMaps, configMap("a"));
  assert.equal((await patch(`${configMaps}/a`, deep)).status, 400);
  assert.equal((await patch(`${configMaps}/a?fieldManager=m`, deep, "apply")).status, 400);
  for (const depth of [5_000, 50_000]) {
    const flow = `${"[".repeat(depth)}${"]".repeat(depth)}`;
    assert.equal((await send("POST", configMaps, flow, { "content-type": "application/yaml" })).status, 400);
    const block = Array.from({ length: 505 }, (_, level) => `${" ".repeat(level)}a:`).join("\n");
    assert.equal((await send("POST", configMaps, block, { "content-type": "application/yaml" })).status, 400);
  }
});

test("an object cannot grow past the limit by small steps", async () => {
  const { post, patch, get } = await startApi();
  await post(definitions, widgetDefinition());
  await post(widgets, widget("a"));
  const megabyte = "x".repeat(1024 * 1024);
  const grow = async (key: string) => (await patch(`${widgets}/a`, { spec: { free: { [key]: megabyte } } })).status;
  assert.deepEqual([await grow("a"), await grow("b"), await grow("c")], [200, 200, 413]);
  assert.deepEqual(Object.keys((await get(`${widgets}/a`)).json.spec.free), ["a", "b"]);
});

test("an alias bomb in YAML is refused", async () => {
  const { send } = await startApi();
  const levels = Array.from(
    { length: 12 },
    (_, level) => `l${level + 1}: &l${level + 1} [${Array(10).fill(`*l${level}`).join(",")}]`,
  );
  const bomb = `l0: &l0 [x,x,x,x,x,x,x,x,x,x]\n${levels.join("\n")}\n`;
  const refused = await send("POST", configMaps, bomb, { "content-type": "application/yaml" });
  assert.equal(refused.status, 400);
});

test("wrong types never reach the insides of the server", async () => {
  const { post } = await startApi();
  const odd: unknown[] = [5, "x", true, [], [1], { a: [] }, null];
  for (const value of odd) {
    for (const field of ["metadata", "spec", "status"]) {
      const answer = await post("/api/v1/namespaces/default/pods", { [field]: value });
      assert.ok(
        [400, 422].includes(answer.status),
        `${field} ${JSON.stringify(value)}: ${answer.status} ${answer.text}`,
      );
    }
    for (const field of [
      "labels",
      "annotations",
      "ownerReferences",
      "finalizers",
      "managedFields",
      "generation",
      "name",
    ]) {
      const answer = await post(configMaps, { metadata: { name: `t-${Math.random()}`, [field]: value } });
      assert.ok(answer.status < 500, `metadata.${field} ${JSON.stringify(value)}: ${answer.text}`);
    }
  }
});

test("prototype names are ordinary keys", async () => {
  const { send, get, post, patch } = await startApi();
  await post(definitions, widgetDefinition());
  const head =
    '"apiVersion":"shop.example/v1","kind":"Widget","metadata":{"name":"w","annotations":{"constructor":"x"}}';
  const free = '"free":{"__proto__":{"evil":true},"constructor":1,"toString":"c"}';
  const made = await send(
    "POST",
    widgets,
    `{${head},"__proto__":{"x":1},"spec":{"size":1,"__proto__":{"evil":true},"constructor":1,${free}}}`,
  );
  assert.equal(made.status, 201, made.text);
  assert.equal(({} as { evil?: boolean }).evil, undefined);
  assert.match(
    made.text,
    /"spec":{"size":1,"free":{"__proto__":{"evil":true},"constructor":1,"toString":"c"},"replicas":2}/,
  );
  await patch(`${widgets}/w`, '{"spec":{"free":{"__proto__":"z"}}}');
  assert.match((await get(`${widgets}/w`)).text, /"free":{"__proto__":"z"/);
});

test("paths that name nothing get a 404, methods that fit nothing a 405", async () => {
  const { send, get } = await startApi();
  const status = (message: string, code: number, reason: string) => ({
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message,
    reason,
    details: {},
    code,
  });
  const unknown = status("the server could not find the requested resource", 404, "NotFound");
  for (const path of [
    `${configMaps}/a/status`,
    `${configMaps}/a/b/c`,
    "/api/v1/nope",
    "/api/v1/configmaps/a",
    "/api/v1/namespaces/default/namespaces",
  ]) {
    assert.deepEqual((await get(path)).json, unknown, path);
  }
  for (const path of ["/nope", "/apis/x.y/v1/zs"]) assert.equal((await get(path)).text, "404 page not found\n", path);
  const refused = status("the server does not allow this method on the requested resource", 405, "MethodNotAllowed");
  for (const [method, path] of [
    ["PUT", configMaps],
    ["POST", `${configMaps}/a`],
    ["DELETE", "/api/v1/namespaces"],
    ["POST", "/api/v1/configmaps"],
    ["HEAD", `${configMaps}/a`],
    ["OPTIONS", configMaps],
  ] as const) {
    assert.deepEqual((await send(method, path, "{}")).json, refused, `${method} ${path}`);
  }
  assert.equal((await get("/api/v1/namespaces/%ZZ/pods")).status, 400);
});

test("media types that nobody serves are refused both ways", async () => {
  const { send } = await startApi();
  assert.equal((await send("POST", configMaps, "{}", { "content-type": "text/plain" })).status, 415);
  assert.equal((await send("GET", configMaps, undefined, { accept: "text/html" })).status, 406);
  assert.equal(
    (await send("GET", configMaps, undefined, { accept: "application/json;as=Chart;v=v1;g=meta.k8s.io" })).status,
    406,
  );
  const fallback = await send("GET", configMaps, undefined, { accept: "application/vnd.kubernetes.protobuf, */*" });
  assert.equal(fallback.json.kind, "ConfigMapList");
  const yaml = await send("GET", "/api/v1/namespaces/default", undefined, { accept: "application/yaml" });
  assert.match(yaml.text, /^apiVersion: v1\nkind: Namespace\n/);
});

test("a custom object of the wrong kind or version is refused", async () => {
  const { post } = await startApi();
  await post(definitions, widgetDefinition());
  const headless = await post(widgets, { metadata: { name: "a" }, spec: { size: 1 } });
  assert.match(
    headless.failure.message ?? "",
    /^the object provided is unrecognized \(must be of type Widget\): Object 'Kind' is missing in/,
  );
  const old = await post(widgets, { ...widget("a"), apiVersion: "shop.example/v2" });
  assert.equal(
    old.failure.message,
    "the API version in the data (shop.example/v2) does not match the expected API version (shop.example/v1)",
  );
  const kind = await post(widgets, { ...widget("a"), kind: "Gadget" });
  assert.equal(
    kind.failure.message,
    'Gadget.shop.example "a" is invalid: kind: Invalid value: "Gadget": must be Widget',
  );
});
