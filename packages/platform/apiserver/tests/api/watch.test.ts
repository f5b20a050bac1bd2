import assert from "node:assert/strict";
import { test } from "node:test";
import { openMemoryStore } from "@trivium/apiserver";
import {
  asPartial,
  asTable,
  configMap,
  configMaps,
  definitions,
  startApi,
  type WatchLine,
  widgetDefinition,
  widgets,
} from "./harness.ts";

const brief = (lines: readonly WatchLine[]) => lines.map(({ type, object }) => `${type} ${object.metadata.name ?? ""}`);
const mine = `${configMaps}?watch=1&labelSelector=mine`;
const labelled = (name: string, value = "yes") => ({ metadata: { name, labels: { mine: value } } });

test("a watch shows what is there, then what happens", async () => {
  const { post, patch, remove, watch } = await startApi();
  await post(configMaps, labelled("a"));
  const lines = await watch(mine);
  assert.deepEqual(brief(await lines.take(1)), ["ADDED a"]);
  await post(configMaps, labelled("b"));
  await patch(`${configMaps}/a`, { data: { x: "1" } });
  await remove(`${configMaps}/b`);
  const next = await lines.take(3);
  assert.deepEqual(brief(next), ["ADDED b", "MODIFIED a", "DELETED b"]);
  assert.equal(next[1]?.object.data.x, "1");
  lines.stop();
  assert.deepEqual(await lines.rest(), []);
});

test("a watch resumes after a revision without gaps or repeats", async () => {
  const { post, get, watch } = await startApi();
  await post(configMaps, labelled("a"));
  const from = (await get(configMaps)).json.metadata.resourceVersion;
  await post(configMaps, labelled("b"));
  await post(configMaps, labelled("c"));
  const lines = await watch(`${mine}&resourceVersion=${from}&timeoutSeconds=1`);
  assert.deepEqual(brief(await lines.rest()), ["ADDED b", "ADDED c"]);
});

test("objects enter and leave a selection", async () => {
  const { post, patch, get, watch } = await startApi();
  await post(configMaps, configMap("a"));
  const from = (await get(configMaps)).json.metadata.resourceVersion;
  await patch(`${configMaps}/a`, { metadata: { labels: { mine: "yes" } } });
  await patch(`${configMaps}/a`, { data: { x: "1" } });
  await patch(`${configMaps}/a`, { metadata: { labels: { mine: null } }, data: { x: "2" } });
  await patch(`${configMaps}/a`, { data: { x: "3" } });
  const lines = await (await watch(`${mine}&resourceVersion=${from}&timeoutSeconds=1`)).rest();
  assert.deepEqual(brief(lines), ["ADDED a", "MODIFIED a", "DELETED a"]);
  assert.equal(lines[2]?.object.data.x, "1", "it is shown as it was when it left");
  const current = (await get(`${configMaps}/a`)).object.metadata.resourceVersion;
  assert.equal(
    Number(lines[2]?.object.metadata.resourceVersion) + 1,
    Number(current),
    "at the revision at which it left",
  );
});

test("the initial events end with a bookmark that says so", async () => {
  const { post, watch } = await startApi();
  await post(configMaps, labelled("a"));
  const query = "&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";
  const lines = await watch(mine + query);
  const [added, bookmark] = await lines.take(2);
  assert.equal(added?.type, "ADDED");
  assert.deepEqual(bookmark, {
    type: "BOOKMARK",
    object: {
      kind: "ConfigMap",
      apiVersion: "v1",
      metadata: {
        resourceVersion: added?.object.metadata.resourceVersion,
        annotations: { "k8s.io/initial-events-end": "true" },
      },
    },
  });
  await post(configMaps, labelled("b"));
  assert.deepEqual(brief(await lines.take(1)), ["ADDED b"]);
  lines.stop();
});

test("bookmarks move a quiet watcher forward", async () => {
  const store = await openMemoryStore({ progressMillis: 5 });
  const { post, watch } = await startApi({ store });
  const lines = await watch(`${mine}&allowWatchBookmarks=true`);
  const made = await post(configMaps, configMap("unseen"));
  let [line] = await lines.take(1);
  while (Number(line?.object.metadata.resourceVersion) < Number(made.object.metadata.resourceVersion))
    [line] = await lines.take(1);
  assert.equal(line?.type, "BOOKMARK");
  lines.stop();
});

test("a revision that is forgotten ends the watch with 410", async () => {
  const { post, store, watch } = await startApi();
  await post(configMaps, configMap("a"));
  await post(configMaps, configMap("b"));
  store.compact(store.revision);
  const lines = await (await watch(`${configMaps}?watch=1&resourceVersion=1`)).rest();
  assert.deepEqual(
    [lines.length, lines[0]?.type, lines[0]?.object.code, lines[0]?.object.reason],
    [1, "ERROR", 410, "Expired"],
  );
  assert.match(lines[0]?.object.message, /^too old resource version: 1 \(\d+\)$/);
});

test("watches of tables give the columns once, those of metadata nothing else", async () => {
  const { post, watch } = await startApi();
  await post(configMaps, labelled("a"));
  const tables = await watch(mine, asTable);
  const partials = await watch(mine, asPartial);
  await post(configMaps, labelled("b"));
  const [first, second] = await tables.take(2);
  assert.equal(first?.object.columnDefinitions.length, 3);
  assert.deepEqual([second?.object.columnDefinitions, second?.object.rows[0].cells[0]], [null, "b"]);
  const [, partial] = await partials.take(2);
  assert.deepEqual(Object.keys(partial?.object), ["kind", "apiVersion", "metadata"]);
  tables.stop();
  partials.stop();
});

test("ages in the table of a watch are those of the moment", async () => {
  let now = Date.UTC(2026, 0, 1);
  const { post, patch, watch } = await startApi({ clock: () => now });
  await post(configMaps, labelled("a"));
  const lines = await watch(mine, asTable);
  await lines.take(1);
  now += 5 * 60_000;
  await patch(`${configMaps}/a`, { data: { x: "1" } });
  const [line] = await lines.take(1);
  assert.deepEqual(line?.object.rows[0].cells, ["a", 1, "5m"]);
  lines.stop();
});

test("what is asked in contradiction is refused", async () => {
  const { get } = await startApi();
  const refused = await get(`${configMaps}?watch=1&sendInitialEvents=true`);
  assert.equal(
    refused.failure.message,
    'ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan',
  );
  assert.equal((await get(`${configMaps}?watch=1&resourceVersionMatch=NotOlderThan`)).status, 422);
  assert.equal((await get(`${configMaps}?watch=1&resourceVersion=x`)).status, 400);
});

test("a watcher that does not read holds nobody up, and is cut off when too much waits for it", async () => {
  const { post, patch, watch, api } = await startApi();
  await post(configMaps, labelled("big"));
  const lazy = await watch(mine);
  const keen = await watch(mine);
  const half = "x".repeat(500_000);
  const rounds = 40;
  for (let round = 0; round < rounds; round++) {
    await patch(`${configMaps}/big`, { data: { x: `${half}${round}` } });
    await keen.take(1);
  }
  const late = await lazy.rest();
  assert.ok(late.length < rounds, "the stream ended before everything was delivered");
  assert.ok(late.length > 10, "what was queued was delivered");
  const observed = late.at(-1)?.object.metadata.resourceVersion;
  const resumed = await watch(`${mine}&resourceVersion=${observed}`);
  const missed = await resumed.take(rounds + 1 - late.length);
  assert.equal(missed.at(-1)?.object.data.x, `${half}${rounds - 1}`, "nothing is lost when it comes back");
  keen.stop();
  resumed.stop();
  await api.idle();
});

test("the legacy watch path and a watch of one name work", async () => {
  const { post, watch } = await startApi();
  await post(configMaps, labelled("a"));
  await post(configMaps, labelled("b"));
  const legacy = await watch("/api/v1/watch/namespaces/default/configmaps?labelSelector=mine&timeoutSeconds=1");
  assert.deepEqual(brief(await legacy.rest()), ["ADDED a", "ADDED b"]);
  const named = await watch("/api/v1/watch/namespaces/default/configmaps/b?timeoutSeconds=1");
  assert.deepEqual(brief(await named.rest()), ["ADDED b"]);
  const one = await watch(`${configMaps}?watch=1&fieldSelector=metadata.name%3Db&timeoutSeconds=1`);
  assert.deepEqual(brief(await one.rest()), ["ADDED b"]);
});

test("the watches of a resource end when its CRD goes", async () => {
  const { post, remove, watch, api } = await startApi();
  await post(definitions, widgetDefinition());
  const lines = await watch(`${widgets}?watch=1`);
  await remove(`${definitions}/widgets.shop.example`);
  await api.idle();
  assert.deepEqual(await lines.rest(), []);
});
