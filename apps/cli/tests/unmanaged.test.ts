import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { type Condition, findCondition, type KubeClient } from "@trivium/kube";
import { InferenceService } from "@trivium/ome";
import { until } from "@trivium/testkit";
import { clientOf, type Running, stopAll, temporaryHome, trivium } from "./running.ts";

const home = temporaryHome();
after(() => {
  stopAll();
  home.remove();
});

const service = {
  apiVersion: "ome.io/v1beta1",
  kind: "InferenceService",
  metadata: { name: "chat", namespace: "default" },
  spec: { model: { name: "gone" }, engine: { minReplicas: 1 } },
} as InferenceService;
const ref = { namespace: "default", name: "chat" };
const env = { TRIVIUM_HOME: home.path, KUBECONFIG: join(home.path, "kubeconfig") };

async function up(dialects: string): Promise<Running> {
  const ports = ["--port", "0", "--gateway-port", "0", "--metrics-port", "0", "--no-dashboard", "--no-demo"];
  const run = trivium(["up", "--home", home.path, "--dialects", dialects, ...ports]);
  await run.ready();
  return run;
}

async function down(run: Running): Promise<void> {
  run.process.kill("SIGINT");
  assert.equal(await run.ended, 0, run.errors());
}

async function readyOf(client: KubeClient): Promise<Condition | undefined> {
  const { status } = await client.get(InferenceService, ref);
  return findCondition(status?.conditions as readonly Condition[] | undefined, "Ready");
}

async function call(...args: string[]): Promise<{ code: number | string; text: string }> {
  const run = trivium(args, env);
  return { code: await run.ended, text: `${run.output()}${run.errors()}` };
}

test("services of an API that is left out say so, and commands do not pretend that anything acts on them", async () => {
  const first = await up("ome");
  const client = await clientOf(home.path);
  await client.create(InferenceService, service);
  await until(async () => (await readyOf(client))?.reason === "ModelNotFound");
  await down(first);

  const second = await up("llmkube");
  const other = await clientOf(home.path);
  await until(async () => (await readyOf(other))?.reason === "NotManaged");
  const ready = await readyOf(other);
  assert.equal(ready?.status, "Unknown");
  assert.match(ready?.message ?? "", /ome\.io.*; start trivium up with --dialects ome,llmkube$/);
  const got = await call("get");
  assert.match(got.text, /^chat +ome .* Failed .*Nothing acts on objects of ome\.io/m);
  const explained = await call("explain", "chat");
  assert.match(explained.text, /needs action: Failed \(NotManaged\)/);

  const file = join(home.path, "service.yaml");
  writeFileSync(file, JSON.stringify(service));
  const planned = await call("plan", "-f", file);
  assert.equal(planned.code, 1);
  assert.match(planned.text, /InferenceService chat: Nothing acts on objects of ome\.io/);

  await other.patch(InferenceService, ref, {
    type: "merge",
    body: { metadata: { finalizers: ["example.com/held"] } },
  });
  const removed = await call("rm", "chat");
  assert.equal(removed.code, 0, removed.text);
  assert.match(
    removed.text,
    /InferenceService chat is being deleted: it waits for finalizer example\.com\/held\. Nothing/,
  );
  await other.patch(InferenceService, ref, { type: "merge", body: { metadata: { finalizers: null } } });
  const missing = await call("rm", "chat");
  assert.match(missing.text, /service chat not found/);
  await other.create(InferenceService, service);
  await down(second);

  const third = await up("ome,llmkube");
  const last = await clientOf(home.path);
  await until(async () => (await readyOf(last))?.reason === "ModelNotFound");
  const gone = await call("rm", "chat");
  assert.match(gone.text, /^InferenceService chat deleted$/m);
  await down(third);
});
