import assert from "node:assert/strict";
import { test } from "node:test";
import { Namespace } from "@trivium/kube";
import { Refusal } from "@trivium/std";
import { startCluster } from "@trivium/testkit";
import { confirmNamespace } from "./own-namespace.ts";

const wish = { name: "ome", holds: "ConfigMaps of OME", option: "--ome-namespace" };

test("a namespace is demanded, or made by whoever installs definitions, once", async (t) => {
  const { client, close } = await startCluster();
  t.after(close);
  await assert.rejects(confirmNamespace(client, wish, "demand"), (error: unknown) => {
    assert.ok(error instanceof Refusal);
    assert.match(
      error.message,
      /^the namespace ome for ConfigMaps of OME does not exist; create it, .*--ome-namespace$/,
    );
    return true;
  });
  await Promise.all([confirmNamespace(client, wish, "make"), confirmNamespace(client, wish, "make")]);
  assert.equal((await client.get(Namespace, { name: "ome" })).metadata.name, "ome");
  await confirmNamespace(client, wish, "demand");
});
