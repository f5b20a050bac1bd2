import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { refusalIn, wholeServer } from "./whole-server.ts";

/** Schemas whose defaults multiply: refused with the definition, or with the object that would set them off. */
const { ask, post } = wholeServer();
const crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

const definition = (kind: string, spec: object) => {
  const singular = kind.toLowerCase();
  const plural = `${singular}s`;
  const schema = { openAPIV3Schema: { type: "object", properties: { spec } } };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.bombs.example.dev` },
    spec: {
      group: "bombs.example.dev",
      scope: "Namespaced",
      names: { plural, singular, kind, listKind: `${kind}List` },
      versions: [{ name: "v1", served: true, storage: true, schema }],
    },
  };
};

const ten = Array.from({ length: 10 }, () => ({}));

/** Each level is a list of ten whose items have the next level by default. */
function bomb(levels: number): object {
  if (levels === 0) return { type: "string", default: "boom" };
  return { type: "array", default: ten, items: { type: "object", properties: { next: bomb(levels - 1) } } };
}

describe("defaults that multiply", () => {
  it("are refused with the definition, and the field is named", async () => {
    const status = refusalIn(await post(crds, definition("Bomb", { type: "object", properties: { bomb: bomb(9) } })));
    assert.equal(status.code, 422);
    assert.match(
      status.message ?? "",
      /openAPIV3Schema\.properties\[spec\]\.properties\[bomb\].*\.default: Forbidden: with the defaults inside it this default takes \d+ bytes, the limit is 3145728$/,
    );
  });

  it("are refused where only all of them together are too large", async () => {
    const properties = Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`bomb${at}`, bomb(4)]));
    const status = refusalIn(await post(crds, definition("Many", { type: "object", default: {}, properties })));
    assert.equal(status.code, 422);
    assert.match(status.message ?? "", /this default takes \d+ bytes, the limit is 3145728/);
  });

  it("are refused with the object whose list sets them off, and the others go on", async () => {
    const item = { type: "object", properties: { bomb: bomb(4) } };
    const spec = { type: "object", properties: { list: { type: "array", items: item } } };
    assert.equal((await post(crds, definition("Fuse", spec))).status, 201);
    const path = "/apis/bombs.example.dev/v1/namespaces/default/fuses";
    const fuse = (name: string, length: number) => ({
      apiVersion: "bombs.example.dev/v1",
      kind: "Fuse",
      metadata: { name },
      spec: { list: Array.from({ length }, () => ({})) },
    });
    const status = refusalIn(await post(path, fuse("long", 15_000)));
    assert.deepEqual(
      [status.code, status.message],
      [413, "Request entity too large: the defaults of its schema add more than 3145728 bytes to the object"],
    );
    assert.equal((await post(path, fuse("short", 1))).status, 201);
    assert.equal((await ask(`${path}/short`)).status, 200);
  });
});
