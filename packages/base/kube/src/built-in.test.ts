import assert from "node:assert/strict";
import { test } from "node:test";
import { builtInRows, builtInSchema, definitionNameOf } from "./built-in.ts";
import { definitions, wireFacts } from "./definitions.ts";
import type { Kind } from "./kind.ts";
import { gatewayApiCrds } from "./kinds/gateway-api.ts";
import * as kinds from "./kinds/index.ts";

test("every served row has a schema and a definition", () => {
  for (const { group, version, kind } of builtInRows) {
    const name = definitionNameOf(group, version, kind);
    assert.ok(name !== undefined && definitions[name] !== undefined, `${group}/${version} ${kind}`);
    assert.equal(builtInSchema(group, version, kind)?.properties?.metadata?.type, "object");
  }
  assert.equal(builtInSchema("", "v1", "Nonsense"), undefined);
});

test("schemas keep merge keys and patch strategies, and carry no noise", () => {
  const pod = builtInSchema("", "v1", "Pod")?.properties?.spec;
  const env = pod?.properties?.containers?.items?.properties?.env;
  assert.deepEqual(
    { ...env, items: undefined },
    {
      type: "array",
      items: undefined,
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["name"],
      "x-kubernetes-patch-strategy": "merge",
      "x-kubernetes-patch-merge-key": "name",
    },
  );
  assert.equal(
    builtInSchema("apps", "v1", "Deployment")?.properties?.spec?.properties?.strategy?.["x-kubernetes-patch-strategy"],
    "retainKeys",
  );
  assert.equal(pod?.properties?.volumes?.["x-kubernetes-patch-strategy"], "merge,retainKeys");
  assert.equal(pod?.properties?.containers?.items?.default, undefined);
});

test("the schema of schemas is cyclic", () => {
  const versions = builtInSchema("apiextensions.k8s.io", "v1", "CustomResourceDefinition")?.properties?.spec?.properties
    ?.versions;
  const schema = versions?.items?.properties?.schema?.properties?.openAPIV3Schema;
  assert.ok(schema?.properties?.type);
  assert.equal(schema.properties.not, schema);
  assert.equal(schema.properties.items?.properties, schema.properties);
  assert.equal(schema.properties.items?.type, undefined);
});

test("every reference and every wire fact names a definition that is there", () => {
  const text = JSON.stringify(definitions);
  for (const [, name] of text.matchAll(/"#\/components\/schemas\/([^"]+)"/g))
    assert.ok(name && name in definitions, name);
  for (const table of Object.values(wireFacts)) {
    for (const name of Object.keys(table)) assert.ok(name in definitions, name);
  }
});

test("kinds name what the server serves", () => {
  const rows = new Map(builtInRows.map((row) => [`${row.group}/${row.version}/${row.kind}`, row]));
  const constants = Object.values(kinds).filter((one): one is Kind => typeof one === "object" && "plural" in one);
  const builtIn = constants.filter(({ group, version, kind }) => rows.has(`${group}/${version}/${kind}`));
  assert.equal(builtIn.length, builtInRows.length);
  for (const { group, version, kind, plural, namespaced } of builtIn) {
    const row = rows.get(`${group}/${version}/${kind}`);
    assert.deepEqual({ plural, namespaced }, { plural: row?.resource, namespaced: row?.scope === "Namespaced" });
  }
});

test("the definitions of the Gateway API are loaded on demand", async () => {
  const names = (await gatewayApiCrds()).map((crd) => crd.metadata.name);
  assert.deepEqual(names, [
    "gatewayclasses.gateway.networking.k8s.io",
    "gateways.gateway.networking.k8s.io",
    "httproutes.gateway.networking.k8s.io",
    "inferencepools.inference.networking.k8s.io",
    "referencegrants.gateway.networking.k8s.io",
  ]);
});
