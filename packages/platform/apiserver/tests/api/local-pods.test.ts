import assert from "node:assert/strict";
import { test } from "node:test";
import { createClient } from "@trivium/client";
import { EndpointSlice, Pod, PriorityClass } from "@trivium/kube";
import { builtInResources, createApi, openMemoryStore } from "../../src/index.ts";

async function start(loopbackEndpoints?: "allowed") {
  const resources = builtInResources(loopbackEndpoints === undefined ? {} : { loopbackEndpoints });
  const api = createApi({ store: openMemoryStore(), resources });
  await api.ready;
  return createClient(api.transport({ user: "test", groups: ["system:masters"] }));
}

const slice = (name: string, address: string): EndpointSlice => ({
  apiVersion: "discovery.k8s.io/v1",
  kind: "EndpointSlice",
  metadata: { name, namespace: "default" },
  addressType: "IPv4",
  endpoints: [{ addresses: [address] }],
});

test("endpoints on this machine are refused as a real server does, unless they are allowed", async () => {
  const strict = await start();
  await assert.rejects(strict.create(EndpointSlice, slice("a", "127.77.0.1")), {
    message:
      'EndpointSlice.discovery.k8s.io "a" is invalid: endpoints[0].addresses[0]: Invalid value: "127.77.0.1": ' +
      "may not be in the loopback range (127.0.0.0/8, ::1/128)",
  });
  const local = await start("allowed");
  await local.create(EndpointSlice, slice("a", "127.77.0.1"));
  await assert.rejects(local.create(EndpointSlice, slice("b", "169.254.0.1")), /link-local/);
  await assert.rejects(local.create(EndpointSlice, slice("b", "0.0.0.0")), /unspecified \(0\.0\.0\.0\)/);
  await assert.rejects(local.create(EndpointSlice, slice("b", "::1")), /must be an IPv4 address/);
});

test("a pod has the priority of its class, or of the class for all", async () => {
  const client = await start();
  const priorityClass = (name: string, value: number, more: Partial<PriorityClass> = {}): PriorityClass => ({
    apiVersion: "scheduling.k8s.io/v1",
    kind: "PriorityClass",
    metadata: { name },
    value,
    ...more,
  });
  const priorityOf = async (name: string, priorityClassName?: string) => {
    const { spec } = await client.create(Pod, {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name, namespace: "default" },
      spec: {
        containers: [{ name: "c", image: "x" }],
        ...(priorityClassName === undefined ? {} : { priorityClassName }),
      },
    });
    return [spec?.priorityClassName, spec?.priority, spec?.preemptionPolicy];
  };
  assert.deepEqual(await priorityOf("a"), [undefined, 0, "PreemptLowerPriority"]);
  await client.create(PriorityClass, priorityClass("high", 1000, { preemptionPolicy: "Never" }));
  await client.create(PriorityClass, priorityClass("all", 7, { globalDefault: true }));
  assert.deepEqual(await priorityOf("b", "high"), ["high", 1000, "Never"]);
  assert.deepEqual(await priorityOf("c"), ["all", 7, "PreemptLowerPriority"]);
  assert.deepEqual(await priorityOf("d", "system-node-critical"), [
    "system-node-critical",
    2_000_001_000,
    "PreemptLowerPriority",
  ]);
});
