import assert from "node:assert/strict";
import { test } from "node:test";
import { EndpointSlice, Pod, Service } from "@trivium/kube";
import { endpointSliceReconciler } from "../src/endpoint-slices/reconciler.ts";
import { schedulerReconciler } from "../src/scheduler/reconciler.ts";
import { type ClusterFixture, podOf, ref, startFixture } from "./fixture.ts";

const web = { labels: { app: "web" } };

async function stateOf({ client }: ClusterFixture): Promise<string[]> {
  const { items } = await client.list(EndpointSlice, {
    namespace: "default",
    labelSelector: "kubernetes.io/service-name=web",
  });
  return items.flatMap(({ endpoints = [], ports = [] }) =>
    endpoints.map(({ targetRef, conditions }) => {
      const states = Object.entries(conditions ?? {}).filter(([, holds]) => holds);
      return `${targetRef?.name}:${ports[0]?.port} ${states.map(([state]) => state).join(" ")}`;
    }),
  );
}

test("endpoints follow their pods from not ready to gone, in one slice, with one write a change", async (context) => {
  const here = await startFixture(context, { reconcilers: [schedulerReconciler, endpointSliceReconciler] });
  await here.node({ name: "a" }, [
    { name: "slow", match: { labels: { pace: "slow" } }, life: { ready: "20s", stop: { after: "30s" } } },
  ]);
  const { client, settle, elapse, writes } = here;
  await client.create(Service, {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "web", namespace: "default" },
    spec: { selector: web.labels, ports: [{ port: 80, targetPort: 8080 }] },
  });
  await settle();
  assert.deepEqual(await stateOf(here), []);
  await client.create(Pod, podOf("quick", {}, web));
  await client.create(
    Pod,
    podOf("slow", { terminationGracePeriodSeconds: 60 }, { labels: { ...web.labels, pace: "slow" } }),
  );
  await elapse(10_000);
  assert.deepEqual(await stateOf(here), ["quick:8080 ready serving", "slow:8080 "]);
  await elapse(20_000);
  assert.deepEqual(await stateOf(here), ["quick:8080 ready serving", "slow:8080 ready serving"]);
  writes.length = 0;
  await elapse(600_000);
  assert.deepEqual(writes, []);
  await client.delete(Pod, ref("slow"));
  await elapse(1_000);
  assert.deepEqual(await stateOf(here), ["quick:8080 ready serving", "slow:8080 serving terminating"]);
  await elapse(120_000);
  assert.deepEqual(await stateOf(here), ["quick:8080 ready serving"]);
  const changes = here.writes.filter((write) => write === "apply EndpointSlice").length;
  assert.ok(changes <= 2, `${changes} writes for a pod that leaves and is gone`);
});
