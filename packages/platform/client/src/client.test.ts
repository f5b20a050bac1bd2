import assert from "node:assert/strict";
import { test } from "node:test";
import { type ApiRequest, type ApiResponse, ConfigMap, Deployment, Namespace, type WatchEvent } from "@trivium/kube";
import { createClient } from "./client.ts";

function rig(reply: Partial<ApiResponse> | ((request: ApiRequest) => Partial<ApiResponse>) = {}) {
  const sent: ApiRequest[] = [];
  const client = createClient(async (request) => {
    sent.push(request);
    return { status: 200, headers: {}, body: "{}", ...(typeof reply === "function" ? reply(request) : reply) };
  });
  const line = () => sent.map(({ method, path }) => `${method} ${path}`).at(-1);
  return { client, sent, line };
}

const configMap = (name: string, namespace?: string): ConfigMap => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: namespace === undefined ? { name } : { name, namespace },
});

test("paths and queries of all verbs", async () => {
  const { client, sent, line } = rig();
  const ref = { namespace: "n", name: "x" };
  await client.get(ConfigMap, ref);
  assert.equal(line(), "GET /api/v1/namespaces/n/configmaps/x");
  await client.get(Namespace, { name: "n", namespace: "ignored" });
  assert.equal(line(), "GET /api/v1/namespaces/n");
  await client.list(Deployment, { labelSelector: "a in (b,c)", limit: 5, continue: "t=/+" });
  assert.equal(line(), "GET /apis/apps/v1/deployments?labelSelector=a+in+%28b%2Cc%29&limit=5&continue=t%3D%2F%2B");
  await client.create(ConfigMap, configMap("x", "n"), { fieldManager: "me", dryRun: true });
  assert.equal(line(), "POST /api/v1/namespaces/n/configmaps?fieldManager=me&dryRun=All");
  const eviction = { apiVersion: "policy/v1", kind: "Eviction", metadata: ref };
  const evictions = { group: "", version: "v1", kind: "Eviction", plural: "pods/x/eviction", namespaced: true };
  await client.create(evictions, eviction);
  assert.equal(line(), "POST /api/v1/namespaces/n/pods/x/eviction");
  assert.deepEqual(JSON.parse(sent.at(-1)?.body ?? ""), eviction);
  await client.replace(ConfigMap, configMap("x", "n"), { subresource: "status" });
  assert.equal(line(), "PUT /api/v1/namespaces/n/configmaps/x/status");
  await client.patch(ConfigMap, ref, { type: "json", body: [{ op: "remove", path: "/data" }] });
  assert.deepEqual(sent.at(-1)?.headers["content-type"], "application/json-patch+json");
  await client.apply(ConfigMap, configMap("x", "n"), { fieldManager: "me", force: true, subresource: "status" });
  assert.equal(line(), "PATCH /api/v1/namespaces/n/configmaps/x/status?fieldManager=me&force=true");
  assert.equal(sent.at(-1)?.headers["content-type"], "application/apply-patch+yaml");
  await client.delete(ConfigMap, ref, { propagationPolicy: "Foreground", preconditions: { uid: "u" } });
  assert.deepEqual(JSON.parse(sent.at(-1)?.body ?? ""), {
    kind: "DeleteOptions",
    apiVersion: "v1",
    propagationPolicy: "Foreground",
    preconditions: { uid: "u" },
  });
});

test("names that would lead elsewhere are refused before they are sent", async () => {
  const { client, sent, line } = rig();
  await assert.rejects(client.get(ConfigMap, { namespace: "n", name: "" }), { code: 400 });
  await assert.rejects(client.get(ConfigMap, { namespace: "n", name: ".." }), { code: 400 });
  await assert.rejects(client.get(ConfigMap, { name: "x" }), /ConfigMap "x" needs a namespace/);
  await assert.rejects(client.delete(ConfigMap, { namespace: "", name: "x" }), /needs a namespace/);
  assert.equal(sent.length, 0);
  await client.get(ConfigMap, { namespace: "n", name: "a/../b?c" });
  assert.equal(line(), "GET /api/v1/namespaces/n/configmaps/a%2F..%2Fb%3Fc");
});

test("items of built-in lists get their kind and version back", async () => {
  const { client } = rig({ body: JSON.stringify({ items: [{ metadata: { name: "x" } }] }) });
  const { items, metadata } = await client.list(ConfigMap);
  assert.deepEqual([items, metadata], [[{ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "x" } }], {}]);
});

test("failures: the server's own words, a code without words, and silence", async () => {
  const status = { kind: "Status", status: "Failure", message: "no such thing", reason: "NotFound", code: 404 };
  const ref = { namespace: "n", name: "x" };
  await assert.rejects(rig({ status: 404, body: JSON.stringify(status) }).client.get(ConfigMap, ref), {
    name: "ApiError",
    code: 404,
    reason: "NotFound",
    message: "no such thing",
  });
  await assert.rejects(rig({ status: 502, body: "<html>bad gateway" }).client.get(ConfigMap, ref), {
    code: 502,
    message: "GET /api/v1/namespaces/n/configmaps/x failed with 502: <html>bad gateway",
  });
  const silent = createClient(() =>
    Promise.reject(new AggregateError([new Error("connect ECONNREFUSED 127.0.0.1:1")])),
  );
  await assert.rejects(silent.get(ConfigMap, ref), {
    code: 0,
    message: "GET /api/v1/namespaces/n/configmaps/x received no response: connect ECONNREFUSED 127.0.0.1:1",
  });
});

async function* pieces(...parts: string[]): AsyncGenerator<string> {
  yield* parts;
}

async function eventsOf(events: AsyncIterable<WatchEvent<ConfigMap>>): Promise<string[]> {
  const observed: string[] = [];
  for await (const { type, object } of events) {
    observed.push(`${type} ${"kind" in object ? object.metadata.name : object.metadata.resourceVersion}`);
  }
  return observed;
}

test("watch: events across pieces, bookmarks, and the query the server wants", async () => {
  const added = JSON.stringify({ type: "ADDED", object: configMap("x", "n") });
  const bookmark = JSON.stringify({ type: "BOOKMARK", object: { metadata: { resourceVersion: "9" } } });
  const body = pieces(added.slice(0, 10), `${added.slice(10)}\n${bookmark}`, "\n");
  const { client, line } = rig(() => ({ body }));
  const options = { namespace: "n", resourceVersion: "5", allowWatchBookmarks: true, sendInitialEvents: true };
  assert.deepEqual(await eventsOf(client.watch(ConfigMap, options)), ["ADDED x", "BOOKMARK 9"]);
  assert.equal(
    line(),
    "GET /api/v1/namespaces/n/configmaps?watch=true&resourceVersion=5&allowWatchBookmarks=true&sendInitialEvents=true" +
      "&resourceVersionMatch=NotOlderThan",
  );
});

test("watch: an ERROR event is thrown, and so is an event that breaks off", async () => {
  const gone = { kind: "Status", status: "Failure", reason: "Expired", message: "too old", code: 410 };
  const error = `${JSON.stringify({ type: "ERROR", object: gone })}\n`;
  await assert.rejects(eventsOf(rig({ body: pieces(error) }).client.watch(ConfigMap)), {
    code: 410,
    reason: "Expired",
  });
  const half = rig({ body: pieces('{"type":"ADDED","obj') }).client.watch(ConfigMap);
  await assert.rejects(eventsOf(half), { code: 0, message: "GET /api/v1/configmaps ended in the middle of an event" });
  const odd = rig({ body: pieces('{"type":"EVENED","object":{}}\n') }).client.watch(ConfigMap);
  await assert.rejects(eventsOf(odd), /unknown type "EVENED"/);
});

test("log: lines, with the query of its options", async () => {
  const { client, line } = rig({ body: pieces("one\ntw", "o\nthr") });
  const lines: string[] = [];
  for await (const each of client.log({ namespace: "n", name: "p" }, { follow: true, tailLines: 3 })) lines.push(each);
  assert.deepEqual(lines, ["one", "two", "thr"]);
  assert.equal(line(), "GET /api/v1/namespaces/n/pods/p/log?follow=true&tailLines=3");
});

test("discovery: what the server has not changed is not sent again", async () => {
  const empty = { kind: "APIGroupDiscoveryList", items: [] };
  const pods = { versions: [{ version: "v1", resources: [{ resource: "pods", scope: "Namespaced" }] }] };
  let items: unknown[] = [pods];
  const sent: number[] = [];
  const { client } = rig(({ path, headers }) => {
    const etag = `"${path}-${items.length}"`;
    const status = headers["if-none-match"] === etag ? 304 : 200;
    sent.push(status);
    const body = status === 304 ? "" : JSON.stringify(path === "/apis" ? { ...empty, items } : empty);
    return { status, headers: { etag }, body };
  });
  const names = async () => (await client.discover()).map(({ plural }) => plural);
  assert.deepEqual([await names(), await names(), sent], [["pods"], ["pods"], [200, 200, 304, 304]]);
  items = [];
  assert.deepEqual([await names(), sent.slice(4)], [[], [200, 200]]);
});

test("discovery: aggregated, or group by group where the server is older", async () => {
  const resource = {
    resource: "pods",
    responseKind: { kind: "Pod" },
    scope: "Namespaced",
    verbs: ["get"],
    shortNames: ["po"],
  };
  const withSub = { ...resource, singularResource: "pod", subresources: [{ subresource: "log" }] };
  const core = { kind: "APIGroupDiscoveryList", items: [{ versions: [{ version: "v1", resources: [withSub] }] }] };
  const empty = { kind: "APIGroupDiscoveryList", items: [] };
  const pods = {
    group: "",
    version: "v1",
    kind: "Pod",
    plural: "pods",
    singular: "pod",
    shortNames: ["po"],
    categories: [],
  };
  const expected = [{ ...pods, namespaced: true, verbs: ["get"], subresources: ["log"] }];
  const modern = rig(({ path }) => ({ body: JSON.stringify(path === "/api" ? core : empty) }));
  assert.deepEqual(await modern.client.discover(), expected);
  const legacy: Record<string, unknown> = {
    "/api": { kind: "APIVersions", versions: ["v1"] },
    "/apis": { kind: "APIGroupList", groups: [{ versions: [{ groupVersion: "down.example/v1" }] }] },
    "/api/v1": {
      groupVersion: "v1",
      resources: [
        { name: "pods", singularName: "pod", kind: "Pod", namespaced: true, verbs: ["get"], shortNames: ["po"] },
        { name: "pods/log", kind: "Pod", namespaced: true, verbs: ["get"] },
      ],
    },
  };
  const old = rig(({ path }) => {
    const body = legacy[path];
    return body === undefined ? { status: 503, body: "" } : { body: JSON.stringify(body) };
  });
  assert.deepEqual(await old.client.discover(), expected);
});
