import assert from "node:assert/strict";
import { after, test } from "node:test";
import { createClient, httpTransport, loadKubeconfig } from "@trivium/client";
import { Deployment, type KubeObject } from "@trivium/kube";
import { startControlPlane } from "../../../../tools/cluster/control-plane.ts";

const plane = await startControlPlane();
after(async () => {
  if (typeof plane !== "string") await plane.stop();
});

const deployment = (labels: Record<string, string>): Deployment => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "handed-over", namespace: "default", labels },
  spec: {
    replicas: 1,
    selector: { matchLabels: { app: "handed-over" } },
    template: {
      metadata: { labels: { app: "handed-over" } },
      spec: { containers: [{ name: "server", image: "example.com/server:1" }] },
    },
  },
});

/** A handover is an apply by the present name and an empty one by the former: what a real server makes of that. */
test("a real API server hands fields over without a new generation, and removes what is no longer wanted", {
  skip: typeof plane === "string" ? plane : false,
}, async () => {
  if (typeof plane === "string") return;
  const transport = httpTransport(await loadKubeconfig(plane.kubeconfig));
  const client = createClient(transport);
  const ref = { namespace: "default", name: "handed-over" };
  const [former, present] = [
    { fieldManager: "example.formername", force: true },
    { fieldManager: "example.former-name", force: true },
  ] as const;
  const before = await client.apply(Deployment, deployment({ old: "yes", kept: "yes" }), former);
  await client.apply(Deployment, deployment({ kept: "yes" }), present);
  const nothing = { apiVersion: "apps/v1", kind: "Deployment", metadata: { ...ref, uid: before.metadata.uid } };
  const released = await client.apply(Deployment, nothing as KubeObject as Deployment, former);
  const applied = (released.metadata.managedFields ?? []).filter(({ operation }) => operation === "Apply");
  assert.deepEqual(
    applied.map(({ manager }) => manager),
    [present.fieldManager],
  );
  assert.equal(released.metadata.generation, before.metadata.generation);
  assert.deepEqual(released.spec, before.spec);
  assert.equal(released.metadata.labels?.old, undefined);
  assert.equal(released.metadata.labels?.kept, "yes");
  const later = await client.apply(Deployment, deployment({}), present);
  assert.equal(later.metadata.labels?.kept, undefined);
  await client.delete(Deployment, ref);
  await transport.close();
});
