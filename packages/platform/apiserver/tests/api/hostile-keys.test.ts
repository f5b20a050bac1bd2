import assert from "node:assert/strict";
import { afterEach, describe, test } from "node:test";
import { configMap, configMaps, definitions, startApi, widget, widgetDefinition, widgets } from "./harness.ts";

/** Keys that every plain object of the language has without having been given them. */
const inherited = ["constructor", "toString", "hasOwnProperty", "valueOf", "__proto__"];
/** Written as text: an object literal would set the prototype instead of a key. */
const asText = (value: string) =>
  `{${inherited.map((key) => `${JSON.stringify(key)}:${JSON.stringify(value)}`).join(",")}}`;
const yaml = { "content-type": "application/yaml" };
const json = { "content-type": "application/json" };

describe("keys that every object inherits", () => {
  afterEach(() => {
    assert.equal(({} as Record<string, unknown>).polluted, undefined, "the prototype of all objects is untouched");
    assert.deepEqual(Object.keys(Object.prototype), []);
    assert.equal((Object as unknown as Record<string, unknown>).polluted, undefined);
  });

  const entriesOf = (value: unknown): [string, unknown][] => Object.entries(value as object).sort();
  const expected = (value: string) => inherited.map((key) => [key, value]).sort();

  test("keys that every object inherits are keys like others in ConfigMaps and Secrets", async () => {
    const { send, get } = await startApi();
    const head = '"apiVersion":"v1","metadata":{"name":"a"}';
    const map = await send("POST", configMaps, `{"kind":"ConfigMap",${head},"data":${asText("x")}}`, json);
    assert.equal(map.status, 201, map.text);
    assert.deepEqual(entriesOf((await get(`${configMaps}/a`)).json.data), expected("x"));
    const twice = `{"kind":"ConfigMap",${head},"data":{"toString":"x"},"binaryData":{"toString":"eA=="}}`;
    const refused = await send("POST", configMaps, twice, json);
    assert.match(refused.failure.message ?? "", /data\[toString\].*duplicate of key present in binaryData/);
    const secrets = "/api/v1/namespaces/default/secrets";
    const secret = await send("POST", secrets, `{"kind":"Secret",${head},"stringData":${asText("x")}}`, json);
    assert.equal(secret.status, 201, secret.text);
    assert.deepEqual(entriesOf((await get(`${secrets}/a`)).json.data), expected("eA=="));
    for (const type of inherited) {
      const typed = {
        kind: "Secret",
        apiVersion: "v1",
        metadata: { name: `of-${type.toLowerCase().replaceAll("_", "")}` },
        type,
      };
      assert.equal((await send("POST", secrets, typed)).status, 201, type);
    }
  });

  test("such keys pass through every kind of body and patch", async () => {
    const { send, patch, get, post } = await startApi();
    await post(definitions, widgetDefinition());
    const free = async (name: string) => entriesOf((await get(`${widgets}/${name}`)).json.spec.free);
    const body = `{"apiVersion":"shop.example/v1","kind":"Widget","metadata":{"name":"a"},"spec":{"size":1,"free":${asText("x")}}}`;
    const made = await send("POST", widgets, body, json);
    assert.equal(made.status, 201, made.text);
    assert.deepEqual(await free("a"), expected("x"));
    assert.equal((await send("POST", widgets, body.replace('"a"', '"b"'), yaml)).status, 201);
    assert.deepEqual(await free("b"), expected("x"));
    assert.equal((await patch(`${widgets}/a`, `{"spec":{"free":${asText("y")}}}`, "merge")).status, 200);
    assert.deepEqual(await free("a"), expected("y"));
    const operations = inherited.map((key) => ({ op: "replace", path: `/spec/free/${key}`, value: "z" }));
    assert.equal((await patch(`${widgets}/a`, operations, "json")).status, 200);
    assert.deepEqual(await free("a"), expected("z"));
    const applied = await patch(`${widgets}/c?fieldManager=m`, body.replace('"a"', '"c"'), "apply");
    assert.equal(applied.status, 201, applied.text);
    assert.deepEqual(await free("c"), expected("x"));
    const less =
      '{"apiVersion":"shop.example/v1","kind":"Widget","metadata":{"name":"c"},"spec":{"size":1,"free":{"toString":"w"}}}';
    assert.equal((await patch(`${widgets}/c?fieldManager=m`, less, "apply")).status, 200);
    assert.deepEqual(await free("c"), [["toString", "w"]]);
  });

  test("a strategic patch adds, changes and removes such keys", async () => {
    const { patch, get, post } = await startApi();
    await post(configMaps, configMap("a"));
    assert.equal((await patch(`${configMaps}/a`, `{"data":${asText("x")}}`, "strategic")).status, 200);
    const gone = `{"data":{"__proto__":null,"constructor":null,"valueOf":"y"}}`;
    assert.equal((await patch(`${configMaps}/a`, gone, "strategic")).status, 200);
    const { data } = (await get(`${configMaps}/a`)).json;
    assert.deepEqual(
      [Object.hasOwn(data, "__proto__"), Object.hasOwn(data, "constructor"), data.valueOf],
      [false, false, "y"],
    );
  });

  test("no body reaches the prototype of other objects", async () => {
    const { send, patch, post } = await startApi();
    await post(definitions, widgetDefinition());
    await post(widgets, widget("a"));
    await post(configMaps, configMap("a"));
    const hostile = [
      '{"__proto__":{"polluted":"1"}}',
      '{"constructor":{"prototype":{"polluted":"1"}}}',
      '{"metadata":{"__proto__":{"polluted":"1"},"labels":{"__proto__":{"polluted":"1"}}}}',
      '{"spec":{"__proto__":{"polluted":"1"},"constructor":{"prototype":{"polluted":"1"}}}}',
      '{"spec":{"free":{"__proto__":{"polluted":"1"},"constructor":{"prototype":{"polluted":"1"}}}}}',
      '{"data":{"__proto__":{"polluted":"1"}}}',
      '{"status":{"__proto__":{"polluted":"1"}}}',
    ];
    for (const body of hostile) {
      const whole = `{"apiVersion":"shop.example/v1","kind":"Widget",${body.slice(1)}`;
      for (const path of [widgets, configMaps]) {
        for (const headers of [json, yaml]) assert.ok((await send("POST", path, whole, headers)).status < 500, body);
        assert.ok((await patch(`${path}/a`, body, "merge")).status < 500, body);
        assert.ok((await patch(`${path}/a`, body, "strategic")).status < 500, body);
        const applied = await patch(`${path}/a?fieldManager=m`, whole, "apply");
        const isUndeclared = /field not declared in schema/.test(applied.text);
        assert.ok(applied.status < 500 || isUndeclared, applied.text);
      }
      assert.ok((await patch(`${widgets}/a/status`, body, "merge")).status < 500, body);
    }
    const paths = [
      "/__proto__/polluted",
      "/constructor/prototype/polluted",
      "/spec/free/__proto__/polluted",
      "/spec/__proto__",
    ];
    for (const path of paths) {
      for (const op of ["add", "replace", "copy", "move", "test", "remove"]) {
        const operation = { op, path, from: "/metadata/name", value: "1" };
        assert.ok((await patch(`${widgets}/a`, [operation], "json")).status < 500, `${op} ${path}`);
        assert.ok((await patch(`${configMaps}/a`, [operation], "json")).status < 500, `${op} ${path}`);
      }
    }
  });

  test("words of a request that every object inherits are unknown words", async () => {
    const { get, send, post, remove } = await startApi();
    await post(configMaps, configMap("a"));
    for (const word of inherited) {
      const asTable = { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" };
      assert.equal((await get(`${configMaps}/a?includeObject=${word}`, asTable)).status, 400, word);
      const odd = { accept: `application/json;as=${word};v=v1;g=meta.k8s.io` };
      assert.equal((await get(`${configMaps}/a`, odd)).status, 406, word);
      assert.equal((await send("PATCH", `${configMaps}/a`, "{}", { "content-type": word })).status, 415, word);
      assert.ok((await get(`${configMaps}/a?fieldSelector=${word}=1`)).status < 500, word);
      assert.equal((await get(`/api/v1/namespaces/default/${word}`)).status, 404, word);
      assert.equal((await get(`/api/v1/namespaces/default/pods/a/${word}`)).status, 404, word);
      assert.equal((await remove(`${configMaps}/a`, { propagationPolicy: word })).status, 422, word);
    }
  });

  test("resource names and metric types that every object inherits are refused, not tripped over", async () => {
    const { send } = await startApi();
    const limits = `{"limits":${asText("1")},"requests":${asText("1")}}`;
    const pod = `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"},"spec":{"resources":${limits},"containers":[{"name":"m","image":"i","resources":${limits}}]}}`;
    assert.equal((await send("POST", "/api/v1/namespaces/default/pods", pod, json)).status, 422);
    const range = `{"apiVersion":"v1","kind":"LimitRange","metadata":{"name":"a"},"spec":{"limits":[{"type":"Container","min":${asText("1")},"max":{"cpu":"1"}}]}}`;
    assert.ok((await send("POST", "/api/v1/namespaces/default/limitranges", range, json)).status < 500);
    for (const type of inherited) {
      const scaler = {
        metadata: { name: "a" },
        spec: { maxReplicas: 1, scaleTargetRef: { apiVersion: "apps/v1", kind: "D", name: "d" }, metrics: [{ type }] },
      };
      const path = "/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers";
      assert.equal((await send("POST", path, scaler)).status, 422, type);
    }
  });

  test("a CRD may have fields and list keys of such names, with defaults, rules and managers", async () => {
    const { send, get, patch } = await startApi();
    // An object literal would set the prototype instead of a key.
    const fields = `"__proto__":{"type":"object","default":{},"properties":{"constructor":{"type":"integer","default":5}}},
    "toString":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["constructor"],
      "items":{"type":"object","required":["constructor"],"properties":{"constructor":{"type":"string"},
        "valueOf":{"type":"integer","x-kubernetes-validations":[{"rule":"self > 1"}]}}}},"free":{`;
    const definition = JSON.stringify(widgetDefinition()).replace('"free":{', fields);
    const made = await send("POST", definitions, definition, json);
    assert.equal(made.status, 201, made.text);
    const body = (value: number) =>
      `{"apiVersion":"shop.example/v1","kind":"Widget","metadata":{"name":"a"},"spec":{"size":1,"toString":[{"constructor":"k","valueOf":${value}}]}}`;
    const refused = await send("POST", widgets, body(1), json);
    assert.match(
      refused.failure.message ?? "",
      /spec\.toString\[0\]\.valueOf: Invalid value: 1: failed rule: self > 1/,
    );
    assert.equal((await patch(`${widgets}/a?fieldManager=one`, body(3), "apply")).status, 201);
    assert.match((await get(`${widgets}/a`)).text, /"__proto__":\{"constructor":5\}/);
    const contested = await patch(`${widgets}/a?fieldManager=two`, body(4), "apply");
    assert.equal(contested.failure.details?.causes?.[0]?.field, '.spec.toString[constructor="k"].valueOf');
  });
});
