import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { Namespace } from "@trivium/kube";
import { registryAnswers } from "@trivium/probes";
import { pushImage, startCluster, startRegistry, startWorld } from "@trivium/testkit";
import { AIMModel, AIMServiceTemplate, aim, createAim } from "../src/index.ts";

const apiVersion = "aim.silogen.ai/v1alpha1";
const namespace = "team-a";

test("a real registry reports whether the image of a custom model exists; a moved tag is noticed", async (t) => {
  const registry = await startRegistry();
  if (registry.is === "missing") return t.skip(`skipped: ${registry.why}`);
  t.after(() => registry.stop());
  const host = `127.0.0.1:${registry.port}`;
  const place = { host, login: "anybody:" };
  const cluster = await startCluster([...aim.kinds]);
  const { client } = cluster;
  const answers = registryAnswers({ client, environment: {}, addresses: "any", now: () => cluster.clock.now() });
  const world = await startWorld({ cluster, reconcilers: createAim().reconcilers, answers });
  t.after(() => world.stop());
  await client.create(Namespace, { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
  /** A real registry takes real time. A call that it answered too late for the world's clock is repeated when that goes on. */
  const until = async (isSo: () => Promise<boolean>): Promise<void> => {
    for (let i = 0; i < 500; i += 1) {
      await world.elapse(1_000);
      if (await isSo()) return;
      await pause(20);
    }
    assert.fail("it did not come to that");
  };

  await pushImage(place, "acme/serve:1.0", {});
  const spec = {
    image: `${host}/acme/serve:2.0`,
    modelSources: [{ modelId: "acme/tiny", sourceUri: "hf://acme/tiny", size: "1Gi" }],
    custom: { hardware: { cpu: { requests: "1" } } },
  };
  await client.create(AIMModel, { apiVersion, kind: "AIMModel", metadata: { name: "own", namespace }, spec });
  const now = async () => (await client.get(AIMModel, { namespace, name: "own" })).status;
  const found = async () => (await now())?.conditions?.find(({ type }) => type === "ImageFound")?.reason;
  await until(async () => (await found()) === "ImageNotFound");
  assert.equal((await now())?.status, "Failed");
  assert.equal((await client.list(AIMServiceTemplate, { namespace })).items.length, 1, "its template stays");

  await pushImage(place, "acme/serve:2.0", { first: "1" });
  await world.elapse(11 * 60_000);
  await until(async () => (await found()) === "ImageFound");
  await until(async () => (await now())?.status === "Ready");
  const first = (await now())?.inspectedImage?.digest;
  assert.match(first ?? "", /^sha256:[0-9a-f]{64}$/);

  await pushImage(place, "acme/serve:2.0", { second: "2" });
  await world.elapse(11 * 60_000);
  await until(async () => (await now())?.inspectedImage?.digest !== first);
  assert.equal((await now())?.status, "Ready");
});
