import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { configMap, configMaps, refusalIn, wholeServer } from "./whole-server.ts";

/** Bodies of a bearable size whose number of parts is not: each gets a clear answer of a bearable size. */
const { ask, post, patch } = wholeServer();

const most = 19_900;
const keyed = (value: unknown, prefix = "f", count = most) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`${prefix}${at}`, value]));
const repeated = (value: unknown, count = most) => Array.from({ length: count }, () => value);
const pods = "/api/v1/namespaces/default/pods";
const merge = "application/merge-patch+json";

describe("180,000 parts", () => {
  it("are refused before anything else is looked at, however they are sent", async () => {
    const count = 180_000;
    assert.equal((await post(configMaps, configMap("small"))).status, 201);
    const apply = `${configMaps}/large?fieldManager=test`;
    for (const data of [keyed("v", "f", count), { a: repeated("v", count) }, repeated({}, count)]) {
      const body = { ...configMap("!"), kind: "Wrong", data };
      for (const answer of [
        await post(configMaps, body),
        await patch(apply, body, "application/apply-patch+yaml"),
        await patch(`${configMaps}/small`, body, merge),
        await patch(`${configMaps}/small`, [{ op: "add", path: "/data", value: data }], "application/json-patch+json"),
      ]) {
        const { code, message = "" } = refusalIn(answer);
        assert.equal(code, 413);
        assert.match(
          message,
          /^Request entity too large: an object can have 100000 fields and list items, 20000 of them in /,
        );
      }
    }
  });

  it("are not reached by patches either", async () => {
    assert.equal((await post(configMaps, configMap("growing", { data: keyed("v", "a", 12_000) }))).status, 201);
    const data = keyed("v", "b", 12_000);
    assert.equal(refusalIn(await patch(`${configMaps}/growing`, { data }, merge)).code, 413);
    const path = `${configMaps}/growing?fieldManager=other`;
    const type = "application/apply-patch+yaml";
    assert.equal(refusalIn(await patch(path, configMap("growing", { data }), type)).code, 413);
  });
});

describe("20,000", () => {
  it("unknown fields: stored without them, with some warnings; refused where fields are checked strictly", async () => {
    const warned = await post(configMaps, configMap("unknown", keyed(1)));
    assert.equal(warned.status, 201, warned.body.slice(0, 300));
    assert.ok(String(warned.headers.warning).length < 8192);
    const strict = refusalIn(await post(`${configMaps}?fieldValidation=Strict`, configMap("strict", keyed(1))));
    assert.equal(strict.code, 400);
    assert.equal(strict.message?.match(/unknown field/g)?.length, 100);
    const patched = await patch(`${configMaps}/unknown`, keyed(1), merge);
    assert.equal(patched.status, 200, patched.body.slice(0, 300));
  });

  it("bad labels, finalizers, owners and containers: the first hundred are named, and how many there are", async () => {
    const controllers = Array.from({ length: 15_000 }, (_, at) => ({
      apiVersion: "v1",
      kind: "Pod",
      name: `p${at}`,
      uid: `u${at}`,
      controller: true,
    }));
    for (const [path, body] of [
      [configMaps, { ...configMap("a"), metadata: { name: "a", labels: keyed("!", "!") } }],
      [configMaps, { ...configMap("a"), metadata: { name: "a", finalizers: repeated("!") } }],
      [configMaps, { ...configMap("a"), metadata: { name: "a", ownerReferences: controllers } }],
      [pods, { apiVersion: "v1", kind: "Pod", metadata: { name: "a" }, spec: { containers: repeated({}) } }],
    ] as const) {
      const answer = await post(path, body);
      const status = refusalIn(answer);
      assert.equal(status.code, 422);
      assert.equal(status.details?.causes?.length, 100);
      assert.match(status.message ?? "", /, and \d+ more errors\]$/);
      assert.ok(answer.body.length < 6_000_000, `${answer.body.length} bytes`);
    }
  });

  it("characters of annotations twice over, beyond the 256 KiB that they may have together", async () => {
    const metadata = { name: "a", annotations: { long: "x".repeat(262_144) } };
    const status = refusalIn(await post(configMaps, { ...configMap("a"), metadata }));
    assert.equal(
      status.message,
      'ConfigMap "a" is invalid: metadata.annotations: Too long: may not be more than 262144 bytes',
    );
  });

  it("entries of managedFields that say nothing, or keys that repeat", async () => {
    const metadata = { name: "managed", managedFields: repeated({ a: 1 }) };
    assert.equal((await post(configMaps, { ...configMap("managed"), metadata })).status, 201);
    const twice = `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"twice"},"data":{${repeated('"a":"1"').join()}}}`;
    assert.equal((await post(configMaps, twice)).status, 201);
    assert.equal((await ask(`${configMaps}/twice`)).status, 200);
  });
});

describe("others", () => {
  it("are answered while large bodies are handled, one after the other", async () => {
    const large = Array.from({ length: 4 }, (_, at) => post(configMaps, configMap(`large-${at}`, keyed(1))));
    const small = Array.from({ length: 20 }, (_, at) => post(configMaps, configMap(`small-${at}`)));
    for (const answer of await Promise.all([...large, ...small])) assert.equal(answer.status, 201);
  });
});
