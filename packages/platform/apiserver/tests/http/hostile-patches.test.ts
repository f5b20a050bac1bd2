import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { configMap, configMaps, refusalIn, type WholeServer, wholeServer } from "./whole-server.ts";

/** Patches that are small and make much: of operations, of copies, of depth, of lists. */
const { ask, post, patch } = wholeServer(prepare);
const json = "application/json-patch+json";
const strategic = "application/strategic-merge-patch+json";
const target = `${configMaps}/patched`;
const crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const bags = "/apis/hostile.example.dev/v1/namespaces/default/bags";

async function prepare({ post }: WholeServer): Promise<void> {
  assert.equal((await post(configMaps, configMap("patched", { data: { a: "x".repeat(10_000) } }))).status, 201);
  const names = { plural: "bags", kind: "Bag", singular: "bag", listKind: "BagList" };
  const open = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
  const schema = { openAPIV3Schema: { type: "object", properties: { spec: open } } };
  const definition = {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "bags.hostile.example.dev" },
    spec: {
      group: "hostile.example.dev",
      scope: "Namespaced",
      names,
      versions: [{ name: "v1", served: true, storage: true, schema }],
    },
  };
  assert.equal((await post(crds, definition)).status, 201);
  const bag = {
    apiVersion: "hostile.example.dev/v1",
    kind: "Bag",
    metadata: { name: "bag" },
    spec: { a: ["x"], b: {} },
  };
  assert.equal((await post(bags, bag)).status, 201);
}

describe("a JSON patch", () => {
  it("of more than 10,000 operations", async () => {
    const operations = Array.from({ length: 10_001 }, () => ({ op: "test", path: "/data/b", value: null }));
    const status = refusalIn(await patch(target, operations, json));
    assert.deepEqual(
      [status.code, status.message],
      [413, "Request entity too large: The allowed maximum operations in a JSON patch is 10000, got 10001"],
    );
    assert.equal((await patch(target, operations.slice(1), json)).status, 200);
  });

  it("that copies without end", async () => {
    const wide = Array.from({ length: 5000 }, (_, at) => ({ op: "copy", from: "/data/a", path: `/data/a${at}` }));
    assert.equal(refusalIn(await patch(target, wide, json)).code, 422);
    const doubling = Array.from({ length: 60 }, () => ({ op: "copy", from: "/spec/a", path: "/spec/a/-" }));
    assert.equal(refusalIn(await patch(`${bags}/bag`, doubling, json)).code, 422);
  });

  it("that nests without end", async () => {
    const moves = Array.from({ length: 2000 }, (_, at) => {
      const [from, to] = at % 2 === 0 ? ["b", "c"] : ["c", "b"];
      return [
        { op: "add", path: `/spec/${to}`, value: {} },
        { op: "move", from: `/spec/${from}`, path: `/spec/${to}/x` },
      ];
    }).flat();
    const status = refusalIn(await patch(`${bags}/bag`, moves, json));
    assert.deepEqual([status.code, status.message], [422, "the patch nests the object too deeply"]);
  });

  it("whose operations are none", async () => {
    for (const body of [
      "[1]",
      '["x"]',
      "[null]",
      "[{}]",
      '[{"op":"copy"}]',
      '[{"op":"add","path":7}]',
      '[{"op":{},"path":""}]',
    ]) {
      const { code } = refusalIn(await patch(target, body, json));
      assert.ok(code === 400 || code === 422, `${body} ${code}`);
    }
  });

  it("that reaches for prototypes", async () => {
    for (const path of ["/__proto__/polluted", "/constructor/prototype/polluted", "/metadata/__proto__/polluted"]) {
      const answer = await patch(target, [{ op: "add", path, value: "yes" }], json);
      assert.ok(answer.status < 500, answer.body);
    }
    const body = '{"metadata":{"labels":{"__proto__":{"polluted":"yes"}}},"__proto__":{"polluted":"yes"}}';
    for (const type of ["application/merge-patch+json", strategic]) {
      assert.ok((await patch(target, body, type)).status < 500);
    }
    assert.equal(({} as { polluted?: string }).polluted, undefined);
  });
});

describe("a strategic merge", () => {
  it("of lists with very many directives", async () => {
    const pods = "/api/v1/namespaces/default/pods";
    const containers = Array.from({ length: 2000 }, (_, at) => ({ name: `c${at}`, image: "i" }));
    assert.equal(
      (await post(pods, { apiVersion: "v1", kind: "Pod", metadata: { name: "p" }, spec: { containers } })).status,
      201,
    );
    const order = Array.from({ length: 20_000 }, (_, at) => ({ name: `c${at}` }));
    const finalizers = Array.from({ length: 100_000 }, (_, at) => `f${at}`);
    for (const body of [
      { spec: { containers: Array.from({ length: 20_000 }, (_, at) => ({ name: `c${at}`, $patch: "delete" })) } },
      { spec: { "$setElementOrder/containers": order, containers: order } },
      { metadata: { "$deleteFromPrimitiveList/finalizers": finalizers } },
      { spec: { $patch: "replace", $retainKeys: finalizers } },
      { spec: { containers: "text" } },
    ]) {
      const answer = await patch(`${pods}/p`, body, strategic);
      assert.ok(answer.status < 500, `${answer.status} ${answer.body.slice(0, 200)}`);
    }
    assert.equal((await ask(`${pods}/p`)).status, 200);
  });
});
