import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { type TestContext, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { Namespace, Node, Secret } from "@trivium/kube";
import { registryAnswers } from "@trivium/probes";
import { startCluster, startRegistry, startWorld } from "@trivium/testkit";
import { AIMClusterModel, AIMClusterModelSource, AIMModel, AIMServiceTemplate, aim, createAim } from "../src/index.ts";

const apiVersion = "aim.silogen.ai/v1alpha1";
const namespace = "team-a";
// `pass` for the user `user`.
const htpasswd = "user:$2y$05$abcdefghijklmnopqrstuuZFBUbfXoM8LFiPx8LYlO/sXZB/Cwk3K\n";
const authorization = `Basic ${btoa("user:pass")}`;
const digestOf = (text: string): string => `sha256:${createHash("sha256").update(text).digest("hex")}`;

/** Puts an image of no layers into a registry. */
async function push(host: string, repository: string, tag: string, labels: Record<string, string>): Promise<void> {
  const base = `http://${host}/v2/${repository}`;
  const config = JSON.stringify({ os: "linux", architecture: "amd64", config: { Labels: labels } });
  const begun = await fetch(`${base}/blobs/uploads/`, { method: "POST", headers: { authorization } });
  const place = new URL(begun.headers.get("location") ?? "", base);
  place.searchParams.set("digest", digestOf(config));
  await fetch(place, { method: "PUT", headers: { authorization }, body: config });
  const mediaType = "application/vnd.oci.image.manifest.v1+json";
  const described = {
    mediaType: "application/vnd.oci.image.config.v1+json",
    digest: digestOf(config),
    size: config.length,
  };
  const manifest = JSON.stringify({ schemaVersion: 2, mediaType, config: described, layers: [] });
  const headers = { authorization, "content-type": mediaType };
  const answer = await fetch(`${base}/manifests/${tag}`, { method: "PUT", headers, body: manifest });
  assert.equal(answer.status, 201, await answer.text());
}

async function stage(t: TestContext) {
  const registry = await startRegistry({ logins: htpasswd });
  if (registry.is === "missing") return void t.skip(`skipped: ${registry.why}`);
  t.after(() => registry.stop());
  const cluster = await startCluster([...aim.kinds]);
  const { client } = cluster;
  const answers = registryAnswers({ client, environment: {}, addresses: "any", now: () => cluster.clock.now() });
  const world = await startWorld({ cluster, reconcilers: createAim().reconcilers, answers });
  t.after(() => world.stop());
  for (const name of ["aim-system", namespace])
    await client.create(Namespace, { apiVersion: "v1", kind: "Namespace", metadata: { name } });
  const labels = { "amd.com/gpu.device-id": "74a1" };
  await client.create(Node, { apiVersion: "v1", kind: "Node", metadata: { name: "n1", labels } });
  const host = `127.0.0.1:${registry.port}`;
  const config = JSON.stringify({ auths: { [host]: { auth: btoa("user:pass") } } });
  const login = (home: string) =>
    client.create(Secret, {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "login", namespace: home },
      type: "kubernetes.io/dockerconfigjson",
      data: { ".dockerconfigjson": btoa(config) },
    });
  /** A real registry takes real time; the world's own stands still. */
  const until = async (isSo: () => Promise<boolean>): Promise<void> => {
    for (let i = 0; i < 200; i += 1) {
      await world.settle();
      if (await isSo()) return;
      await pause(20);
    }
    assert.fail("it did not come to that");
  };
  return { client, host, login, until };
}

const recommended = (...models: string[]) => ({
  "com.amd.aim.model.recommendedDeployments": JSON.stringify(models.map((gpuModel) => ({ gpuModel, gpuCount: 1 }))),
});

test("a private image of a real registry becomes templates when its Secret comes", async (t) => {
  const given = await stage(t);
  if (given === undefined) return;
  const { client, host, login, until } = given;
  await push(host, "acme/aim-foo", "1.0.0", recommended("MI300X", "MI250X"));
  const spec = { image: `${host}/acme/aim-foo:1.0.0` };
  await client.create(AIMModel, { apiVersion, kind: "AIMModel", metadata: { name: "foo", namespace }, spec });
  const state = async () => {
    const { status } = await client.get(AIMModel, { namespace, name: "foo" });
    return [status?.status, status?.conditions?.find(({ type }) => type === "MetadataExtracted")?.reason].join("/");
  };
  await until(async () => (await state()) === "Degraded/ImagePullAuthFailure");
  await login(namespace);
  const body = { spec: { imagePullSecrets: [{ name: "login" }] } };
  await client.patch(AIMModel, { namespace, name: "foo" }, { type: "merge", body });
  await until(async () => (await state()) === "Progressing/MetadataExtracted");
  const { items } = await client.list(AIMServiceTemplate, { namespace });
  assert.deepEqual(
    items
      .map(({ spec: { gpuSelector, imagePullSecrets } }) => [gpuSelector?.model, imagePullSecrets?.[0]?.name])
      .sort(),
    [
      ["MI250X", "login"],
      ["MI300X", "login"],
    ],
  );
});

test("a source finds the images of a real registry by its catalog, and takes the versions that it wants", async (t) => {
  const given = await stage(t);
  if (given === undefined) return;
  const { client, host, login, until } = given;
  for (const tag of ["0.9.0", "1.0.0", "1.1.0-rc1", "latest"])
    await push(host, "acme/aim-foo", tag, recommended("MI300X"));
  await push(host, "acme/other", "1.0.0", {});
  await login("aim-system");
  const spec = {
    registry: host,
    imagePullSecrets: [{ name: "login" }],
    filters: [{ image: "acme/aim-*", versions: [">=1.0.0"] }],
  };
  await client.create(AIMClusterModelSource, {
    apiVersion,
    kind: "AIMClusterModelSource",
    metadata: { name: "own" },
    spec,
  });
  const images = async () => (await client.list(AIMClusterModel)).items.map((model) => model.spec.image).sort();
  await until(async () => (await images()).length === 2);
  assert.deepEqual(await images(), [`${host}/acme/aim-foo:1.0.0`, `${host}/acme/aim-foo:1.1.0-rc1`]);
  await until(async () => (await client.get(AIMClusterModelSource, { name: "own" })).status?.status === "Ready");
});
