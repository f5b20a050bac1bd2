import assert from "node:assert/strict";
import { test } from "node:test";
import { createClient } from "@trivium/client";
import { HTTPRoute, isReason, Pod, Secret, type Transport } from "@trivium/kube";
import { createServedClient } from "./served-client.ts";

const pods = { resource: "pods", responseKind: { kind: "Pod" }, scope: "Namespaced" };
const core = { kind: "APIGroupDiscoveryList", items: [{ versions: [{ version: "v1", resources: [pods] }] }] };

function rig() {
  const calls: string[] = [];
  let isDown = false;
  const transport: Transport = async ({ path }) => {
    calls.push(path);
    if (isDown && path.length < 6) return { status: 503, headers: {}, body: "" };
    const body = path === "/api" ? core : path === "/apis" ? { ...core, items: [] } : { items: [] };
    return { status: 200, headers: {}, body: JSON.stringify(body) };
  };
  let time = 0;
  const client = createServedClient(createClient(transport), () => time);
  const wait = (millis: number): void => {
    time += millis;
  };
  const fail = (down: boolean): void => {
    isDown = down;
  };
  return { client, calls, wait, fail };
}

test("kinds that the API does not serve, and Secrets, are refused without a call", async () => {
  const { client, calls } = rig();
  await assert.rejects(client.list(HTTPRoute), (error) => isReason(error, "NotFound"));
  await assert.rejects(client.get(HTTPRoute, { namespace: "a", name: "b" }), (error) => isReason(error, "NotFound"));
  await assert.rejects(client.get(Secret, { namespace: "a", name: "b" }), (error) => isReason(error, "Forbidden"));
  assert.deepEqual((await client.list(Pod)).items, []);
  assert.deepEqual(calls, ["/api", "/apis", "/api/v1/pods"]);
});

test("discovery is asked again after a while, and one that failed at once", async () => {
  const { client, calls, wait, fail } = rig();
  await client.list(Pod);
  wait(60_000);
  fail(true);
  assert.deepEqual((await client.list(Pod)).items, [], "what cannot be discovered is called");
  fail(false);
  await client.list(Pod);
  assert.deepEqual(
    calls.filter((path) => path === "/apis"),
    ["/apis", "/apis", "/apis"],
  );
});
