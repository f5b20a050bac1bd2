import assert from "node:assert/strict";
import { test } from "node:test";
import { Namespace } from "@trivium/kube";
import { startCluster } from "@trivium/testkit";
import { ClusterFault } from "./cluster-fault.ts";
import { confirmNamespace } from "./own-namespace.ts";

const request = { name: "ome", holds: "ConfigMaps of OME", option: "--ome-namespace" };

test("a namespace is demanded, or made by whoever installs definitions, once", async (t) => {
  const { client, close } = await startCluster();
  t.after(close);
  await assert.rejects(confirmNamespace(client, request, "demand"), (error: unknown) => {
    assert.ok(error instanceof ClusterFault);
    assert.match(error.message, /^Namespace ome for ConfigMaps of OME not found; create it, .*--ome-namespace$/);
    return true;
  });
  await Promise.all([confirmNamespace(client, request, "make"), confirmNamespace(client, request, "make")]);
  assert.equal((await client.get(Namespace, { name: "ome" })).metadata.name, "ome");
  await confirmNamespace(client, request, "demand");
});
