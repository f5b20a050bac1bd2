import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { createClient, httpTransport, loadKubeconfig } from "@trivium/client";
import { type ImageReport, imageConfig, isServed, logOnce } from "@trivium/domain";
import { CustomResourceDefinition, emitCrd, Job, Namespace, Node } from "@trivium/kube";
import { type Answered, answer } from "@trivium/reconcile";
import { createRuntime, silentLog } from "@trivium/runtime";
import { AIMClusterModel, AIMClusterServiceTemplate, aim, createAim } from "../src/index.ts";
import { AIMClusterModelSource } from "../src/kinds/cluster-model-source.ts";

const kubeconfig = process.env.KUBECONFIG_UNDER_TEST;
assert.ok(kubeconfig, "set KUBECONFIG_UNDER_TEST, or run scripts/test-cluster.ts, which does");

const labels = {
  "com.amd.aim.model.recommendedDeployments": JSON.stringify([
    { gpuModel: "MI300X", gpuCount: 1, precision: "fp8", metric: "latency" },
    { gpuModel: "MI999X", gpuCount: 1 },
  ]),
};
const image: ImageReport = { is: "image", digest: `sha256:${"a".repeat(64)}`, platform: "linux/amd64", labels };
const answers = [
  answer(imageConfig, async () => image),
  answer(isServed, async () => false),
  answer(logOnce, async () => ""),
] as Answered[];

test("a real server accepts every status, child and patch of the catalog", async (t) => {
  const transport = httpTransport(await loadKubeconfig(kubeconfig));
  t.after(() => transport.close());
  const client = createClient(transport);
  for (const kind of aim.kinds)
    await client.apply(CustomResourceDefinition, emitCrd(kind), { fieldManager: "catalog", force: true });
  const served = async () => (await client.discover()).filter(({ group }) => group === aim.group).length;
  while ((await served()) < aim.kinds.length) await sleep(100);
  const labelled = { name: "gpu-node", labels: { "amd.com/gpu.device-id": "74a1" } };
  await client.apply(
    Node,
    { apiVersion: "v1", kind: "Node", metadata: labelled },
    { fieldManager: "catalog", force: true },
  );
  const home: Namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: "aim-system" } };
  await client.apply(Namespace, home, { fieldManager: "catalog", force: true });

  const errors: string[] = [];
  const log = {
    ...silentLog,
    error: (fields: object, message: string) => errors.push(`${message} ${JSON.stringify(fields)}`),
  };
  const runtime = createRuntime({ client, reconcilers: createAim().reconcilers, answers, log });
  await runtime.start();
  t.after(() => runtime.stop());

  const spec = { filters: [{ image: "acme/aim-foo:1.4.2" }] };
  const metadata = { name: "catalog" };
  await client.create(AIMClusterModelSource, {
    apiVersion: "aim.silogen.ai/v1alpha1",
    kind: "AIMClusterModelSource",
    metadata,
    spec,
  });
  const states = async () =>
    (await client.list(AIMClusterServiceTemplate)).items.map(({ status }) => status?.status ?? "").sort();
  const jobs = async () => (await client.list(Job, { namespace: "aim-system" })).items.length;
  while ((await states()).join() !== "NotAvailable,Progressing" || (await jobs()) !== 1) await sleep(100);
  const model = await client.get(AIMClusterModel, { name: "acme-aim-foo-1.4.2-d6b775" });
  assert.equal(model.status?.inspectedImage?.reference, "acme/aim-foo:1.4.2");
  assert.equal((await client.get(AIMClusterModelSource, { name: "catalog" })).status?.discoveredModels, 1);
  assert.deepEqual(errors, []);
});
