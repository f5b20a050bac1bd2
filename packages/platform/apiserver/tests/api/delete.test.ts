import assert from "node:assert/strict";
import { test } from "node:test";
import { configMap, configMaps, startApi } from "./harness.ts";

const pods = "/api/v1/namespaces/default/pods";
const pod = (name: string, spec: object = {}) => ({
  metadata: { name },
  spec: { containers: [{ name: "c", image: "i" }], ...spec },
});

test("a deletion answers with what is gone", async () => {
  const { post, remove, get } = await startApi();
  const { uid } = (await post(configMaps, configMap("a"))).object.metadata;
  assert.deepEqual((await remove(`${configMaps}/a`)).json, {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Success",
    details: { name: "a", kind: "configmaps", uid },
  });
  assert.equal((await get(`${configMaps}/a`)).status, 404);
  assert.equal((await remove(`${configMaps}/a`)).status, 404);
});

test("preconditions and options are checked", async () => {
  const { post, remove, get } = await startApi();
  const { uid, resourceVersion } = (await post(configMaps, configMap("a"))).object.metadata;
  const other = await remove(`${configMaps}/a`, { preconditions: { uid: "x" } });
  assert.equal(
    other.failure.message,
    `Operation cannot be fulfilled on ConfigMap "a": the UID in the precondition (x) does not match the UID in record (${uid}). The object might have been deleted and then recreated`,
  );
  assert.equal((await remove(`${configMaps}/a`, { preconditions: { resourceVersion: "1" } })).status, 409);
  assert.equal((await remove(`${configMaps}/a?propagationPolicy=Sideways`)).status, 422);
  assert.equal((await remove(`${configMaps}/a`, "{")).status, 400);
  assert.equal((await remove(`${configMaps}/a`, { kind: "Pod" })).status, 400);
  assert.equal((await remove(`${configMaps}/a?dryRun=All`)).json.status, "Success");
  assert.equal((await get(`${configMaps}/a`)).status, 200);
  assert.equal((await remove(`${configMaps}/a`, { preconditions: { uid, resourceVersion } })).status, 200);
});

test("finalizers hold an object until the last one is taken away", async () => {
  const { post, remove, patch, get } = await startApi();
  await post(configMaps, { metadata: { name: "a", finalizers: ["test/one", "test/two"] } });
  const going = (await remove(`${configMaps}/a`)).object.metadata;
  assert.equal(going.deletionGracePeriodSeconds, 0);
  assert.notEqual(going.deletionTimestamp, undefined);
  const again = (await remove(`${configMaps}/a`)).object.metadata;
  assert.deepEqual(again, going, "deleting again changes nothing");
  const added = await patch(`${configMaps}/a`, { metadata: { finalizers: ["test/one", "test/three"] } });
  assert.match(
    added.failure.message ?? "",
    /metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers \[\]string{"test\/three"}/,
  );
  assert.equal((await patch(`${configMaps}/a`, { metadata: { finalizers: ["test/two"] } })).status, 200);
  assert.equal((await get(`${configMaps}/a`)).status, 200);
  const last = await patch(`${configMaps}/a`, { metadata: { finalizers: null } });
  assert.deepEqual([last.status, last.object.metadata.finalizers], [200, undefined]);
  assert.equal((await get(`${configMaps}/a`)).status, 404);
});

test("pods on a node are given time, which can only get shorter", async () => {
  let now = Date.UTC(2026, 0, 1);
  const { post, remove, get } = await startApi({ clock: () => now });
  await post(pods, pod("p", { nodeName: "n" }));
  const marks = (answer: { object: { metadata: object } }) => {
    const { deletionTimestamp, deletionGracePeriodSeconds } = answer.object.metadata as Record<string, unknown>;
    return [deletionTimestamp, deletionGracePeriodSeconds];
  };
  assert.deepEqual(marks(await remove(`${pods}/p`)), ["2026-01-01T00:00:30Z", 30]);
  assert.deepEqual(marks(await remove(`${pods}/p?gracePeriodSeconds=60`)), ["2026-01-01T00:00:30Z", 30]);
  assert.deepEqual(marks(await remove(`${pods}/p?gracePeriodSeconds=10`)), ["2026-01-01T00:00:10Z", 10]);
  now += 20_000;
  assert.deepEqual(marks(await remove(`${pods}/p?gracePeriodSeconds=5`)), ["2026-01-01T00:00:10Z", 1]);
  assert.equal((await get(`${pods}/p`)).status, 200);
  const forced = await remove(`${pods}/p`, { gracePeriodSeconds: 0 });
  assert.equal(forced.json.kind, "Pod");
  assert.equal((await get(`${pods}/p`)).status, 404);
});

test("pods that no node took, or that have ended, go at once", async () => {
  const { post, remove, get, patch } = await startApi();
  await post(pods, pod("waiting"));
  await remove(`${pods}/waiting`);
  assert.equal((await get(`${pods}/waiting`)).status, 404);
  await post(pods, pod("ended", { nodeName: "n" }));
  await patch(`${pods}/ended/status`, { status: { phase: "Succeeded" } });
  await remove(`${pods}/ended`);
  assert.equal((await get(`${pods}/ended`)).status, 404);
});

test("a collection is deleted by selector", async () => {
  const { post, remove, get } = await startApi();
  for (const name of ["a", "b", "c"])
    await post(configMaps, { metadata: { name, labels: { keep: name === "c" ? "yes" : "no" } } });
  await post(configMaps, { metadata: { name: "held", labels: { keep: "no" }, finalizers: ["test/hold"] } });
  const dry = await remove(`${configMaps}?labelSelector=keep%3Dno&dryRun=All`);
  assert.equal(dry.json.items.length, 3);
  const gone = await remove(`${configMaps}?labelSelector=keep%3Dno`);
  assert.deepEqual(
    gone.json.items.map(({ metadata }: { metadata: { name: string } }) => metadata.name),
    ["a", "b", "held"],
  );
  const left = (await get(`${configMaps}?labelSelector=keep`)).json.items;
  assert.deepEqual(
    left.map(({ metadata }: { metadata: { name: string } }) => metadata.name),
    ["c", "held"],
  );
});
