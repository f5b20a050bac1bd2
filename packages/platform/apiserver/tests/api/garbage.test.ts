import assert from "node:assert/strict";
import { test } from "node:test";
import type { AnyObject } from "@trivium/kube";
import { configMap, configMaps, type Harness, startApi } from "./harness.ts";

/** ConfigMaps can own ConfigMaps: enough to tell the whole story. */
async function own(api: Harness, name: string, owners: readonly AnyObject[], extra: object = {}): Promise<AnyObject> {
  const ownerReferences = owners.map(({ metadata }) => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    name: metadata.name,
    uid: metadata.uid,
    ...extra,
  }));
  const made = await api.post(configMaps, { metadata: { name, ownerReferences } });
  assert.equal(made.status, 201, made.text);
  return made.object;
}

const make = async (api: Harness, name: string): Promise<AnyObject> =>
  (await api.post(configMaps, configMap(name))).object;

async function left(api: Harness): Promise<string[]> {
  await api.api.idle();
  const { items } = (await api.get(configMaps)).json;
  return items.map(({ metadata }: AnyObject) => metadata.name).filter((name: string) => name !== "kube-root-ca.crt");
}

test("in the background, what an object owned goes after it, to the last generation", async () => {
  const api = await startApi();
  const top = await make(api, "top");
  const middle = await own(api, "middle", [top]);
  await own(api, "leaf", [middle]);
  await make(api, "free");
  await api.remove(`${configMaps}/top`);
  assert.deepEqual(await left(api), ["free"]);
});

test("in the foreground, the owner goes last", async () => {
  const api = await startApi();
  const top = await make(api, "top");
  await own(api, "held", [top], { blockOwnerDeletion: true });
  await own(api, "loose", [top]);
  await api.patch(`${configMaps}/held`, { metadata: { finalizers: ["test/hold"] } });
  const answer = await api.remove(`${configMaps}/top?propagationPolicy=Foreground`);
  assert.deepEqual(answer.object.metadata.finalizers, ["foregroundDeletion"]);
  assert.deepEqual(await left(api), ["held", "top"]);
  await api.patch(`${configMaps}/held`, { metadata: { finalizers: null } });
  assert.deepEqual(await left(api), []);
});

test("orphans stay, without their owner", async () => {
  const api = await startApi();
  const top = await make(api, "top");
  await own(api, "child", [top]);
  await api.remove(`${configMaps}/top?propagationPolicy=Orphan`);
  assert.deepEqual(await left(api), ["child"]);
  assert.equal((await api.get(`${configMaps}/child`)).object.metadata.ownerReferences, undefined);
});

test("an object with another owner stays and forgets the one that went", async () => {
  const api = await startApi();
  const one = await make(api, "one");
  const two = await make(api, "two");
  await own(api, "child", [one, two]);
  await api.remove(`${configMaps}/one`);
  assert.deepEqual(await left(api), ["child", "two"]);
  assert.deepEqual(
    (await api.get(`${configMaps}/child`)).object.metadata.ownerReferences?.map(({ name }) => name),
    ["two"],
  );
});

test("an owner that was never there, or is another object of that name, is no owner", async () => {
  const api = await startApi();
  const real = await make(api, "real");
  await own(api, "ghost", [{ ...real, metadata: { name: "nobody", uid: "0" } }]);
  await own(api, "impostor", [{ ...real, metadata: { name: "real", uid: "of-the-one-before" } }]);
  assert.deepEqual(await left(api), ["real"]);
});

test("an owner in another namespace does not count", async () => {
  const api = await startApi();
  const far = (await api.post("/api/v1/namespaces/kube-system/configmaps", configMap("far"))).object;
  await own(api, "child", [far]);
  assert.deepEqual(await left(api), []);
  assert.equal((await api.get("/api/v1/namespaces/kube-system/configmaps/far")).status, 200);
});

test("owners of kinds that are not served are left alone", async () => {
  const api = await startApi();
  const ownerReferences = [{ apiVersion: "other.example/v1", kind: "Thing", name: "t", uid: "1" }];
  await api.post(configMaps, { metadata: { name: "child", ownerReferences } });
  assert.deepEqual(await left(api), ["child"]);
});

test("a server that was stopped in the middle takes the work up again", async () => {
  const first = await startApi();
  const { store } = first;
  const top = await make(first, "top");
  await own(first, "child", [top]);
  await first.api.idle();
  await first.api.close();
  await first.remove(`${configMaps}/top?propagationPolicy=Foreground`);
  const second = await startApi({ store });
  assert.deepEqual(await left(second), []);
});
