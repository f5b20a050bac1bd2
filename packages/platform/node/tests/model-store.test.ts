import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { ArtifactReport, WantedArtifact } from "@trivium/domain";
import { ConfigMap, isReason, type Kind, type KubeClient, Node } from "@trivium/kube";
import { turns } from "@trivium/testkit";
import { ModelStoreAgent, type ModelStoreApi } from "../src/index.ts";
import { startStage } from "./stage.ts";

/** ConfigMaps that carry a label stand for whatever wants files on nodes. */
const marked = (object: ConfigMap): boolean => object.metadata.labels?.wants !== undefined;
const artifactOf = ({ metadata, data }: ConfigMap): WantedArtifact => ({
  key: metadata.name ?? "",
  source: { is: "fetched", uri: data?.uri ?? "" },
  path: `/models/${metadata.name}`,
  settings: {},
  reading: "nothing",
  afterwards: "remove",
  ...(data?.permit === undefined ? {} : { permit: data.permit as "awaited" | "denied" }),
});
const api: ModelStoreApi<ConfigMap> = {
  kinds: [ConfigMap],
  requestsOf(object, node) {
    if (!marked(object)) return { is: "none" };
    const isHere = object.data?.zone === undefined || node.metadata.labels?.zone === object.data.zone;
    return { is: isHere ? "wanted" : "unwanted", artifact: artifactOf(object) };
  },
  describe: (held) => ({
    labels: Object.fromEntries(held.map(({ report }) => [`held/${report.key}`, report.is])),
    data: Object.fromEntries(held.map(({ report }) => [report.key, report.is])),
  }),
  reportOf: (node) => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: node, namespace: "default", labels: { status: "true" } },
  }),
};

const named = ({ key, permit }: WantedArtifact): string => (permit === undefined ? key : `${key} (${permit})`);

interface Scene {
  readonly client: KubeClient;
  readonly wanted: string[];
  readonly released: string[];
  say(report: ArtifactReport): void;
  gone(key: string): void;
  request(name: string, data?: Record<string, string>): Promise<void>;
  /** What the API has of the node, when it is as expected. */
  shows(expected: { readonly labels: Record<string, string>; readonly data: Record<string, string> }): Promise<void>;
  /** Ends this agent, and starts the next. */
  again(): Promise<void>;
}

async function startScene(t: TestContext): Promise<Scene> {
  const { client } = await startStage(t);
  const node: Node = { apiVersion: "v1", kind: "Node", metadata: { name: "n1", labels: { zone: "a" } } };
  await client.create(Node, node).catch((error: unknown) => {
    if (!isReason(error, "AlreadyExists")) throw error;
  });
  const wanted: string[] = [];
  const released: string[] = [];
  let reports: { onReport(report: ArtifactReport): void; onGone(key: string): void };
  const open = (): ModelStoreAgent<ConfigMap> => {
    const agent = new ModelStoreAgent<ConfigMap>({
      client,
      node: "n1",
      api,
      onError: (what, error) => assert.fail(`${what}: ${error}`),
      managerOf: (given) => {
        reports = given;
        return {
          want: (all) => void wanted.splice(0, wanted.length, ...all.map(named).sort()),
          release: ({ key }) => void (released.includes(key) || released.push(key)),
          stop: async () => undefined,
        };
      },
    });
    agent.start();
    return agent;
  };
  let agent = open();
  t.after(() => agent.stop());
  const held = async () => {
    const { metadata } = await client.get(Node, { name: "n1" });
    const found = Object.entries(metadata.labels ?? {}).filter(([key]) => key.startsWith("held/"));
    const report = await client.get(ConfigMap, { namespace: "default", name: "n1" }).catch(() => undefined);
    return { labels: Object.fromEntries(found), data: report?.data ?? {} };
  };
  return {
    client,
    wanted,
    released,
    say: (report) => reports.onReport(report),
    gone: (key) => reports.onGone(key),
    async request(name, data = {}) {
      const metadata = { name, namespace: "default", labels: { wants: "yes" } };
      await client.create(ConfigMap, { apiVersion: "v1", kind: "ConfigMap", metadata, data: { uri: "x", ...data } });
    },
    async shows(expected) {
      for (let left = 200; left > 0; left--) {
        await turns(4);
        try {
          assert.deepEqual(await held(), expected);
          return;
        } catch (error) {
          if (left === 1) throw error;
        }
      }
    },
    async again() {
      await agent.stop();
      wanted.splice(0);
      agent = open();
    },
  };
}

test("a wish is told of at once, then as the keeper reports, and no more when it is gone", async (t) => {
  const { client, wanted, request, say, gone, shows } = await startScene(t);
  await request("m");
  await shows({ labels: { "held/m": "updating" }, data: { m: "updating" } });
  assert.deepEqual(wanted, ["m"]);
  say({ key: "m", is: "ready" });
  await shows({ labels: { "held/m": "ready" }, data: { m: "ready" } });
  await client.delete(ConfigMap, { namespace: "default", name: "m" });
  await turns(50);
  assert.deepEqual(wanted, []);
  await shows({ labels: { "held/m": "ready" }, data: { m: "ready" } });
  gone("m");
  await shows({ labels: {}, data: {} });
});

test("a permitted download goes on while an edit is decided, and another source needs a permit of its own", async (t) => {
  const { client, wanted, request } = await startScene(t);
  const edit = async (data: Record<string, string | null>, expected: string) => {
    await client.patch(ConfigMap, { namespace: "default", name: "m" }, { type: "merge", body: { data } });
    for (let left = 50; left > 0 && wanted[0] !== expected; left--) await turns(10);
    await turns(20);
    assert.deepEqual(wanted, [expected]);
  };
  await request("m", { permit: "awaited" });
  await edit({ seen: "1" }, "m (awaited)");
  await edit({ permit: null }, "m");
  await edit({ permit: "awaited" }, "m");
  await edit({ uri: "y" }, "m (awaited)");
  await edit({ permit: "denied" }, "m (denied)");
});

test("what others take away comes back, and what they add stays", async (t) => {
  const { client, request, say, shows } = await startScene(t);
  await request("m");
  say({ key: "m", is: "ready" });
  await shows({ labels: { "held/m": "updating" }, data: { m: "updating" } });
  say({ key: "m", is: "ready" });
  await shows({ labels: { "held/m": "ready" }, data: { m: "ready" } });
  const body = { metadata: { labels: { "held/m": null, mine: "kept" } } };
  await client.patch(Node, { name: "n1" }, { type: "merge", body });
  await client.delete(ConfigMap, { namespace: "default", name: "n1" });
  await shows({ labels: { "held/m": "ready" }, data: { m: "ready" } });
  assert.equal((await client.get(Node, { name: "n1" })).metadata.labels?.mine, "kept");
  const report = await client.get(ConfigMap, { namespace: "default", name: "n1" });
  assert.equal(report.metadata.labels?.status, "true");
});

test("an agent that comes after keeps the last word until it has looked", async (t) => {
  const { request, say, shows, again, wanted } = await startScene(t);
  await request("m");
  await request("new");
  await shows({ labels: { "held/m": "updating", "held/new": "updating" }, data: { m: "updating", new: "updating" } });
  say({ key: "m", is: "ready" });
  const before = { labels: { "held/m": "ready", "held/new": "updating" }, data: { m: "ready", new: "updating" } };
  await shows(before);
  await again();
  for (let left = 50; left > 0 && wanted.length < 2; left--) await turns(10);
  assert.deepEqual(wanted, ["m", "new"]);
  await shows(before);
  say({ key: "new", is: "failed", why: "no space" });
  await shows({ labels: { "held/m": "ready", "held/new": "failed" }, data: { m: "ready", new: "failed" } });
});

test("what another agent says as well is taken away once it is not true any more", async (t) => {
  const { client, request, say, gone, shows } = await startScene(t);
  await request("m");
  await shows({ labels: { "held/m": "updating" }, data: { m: "updating" } });
  say({ key: "m", is: "ready" });
  await shows({ labels: { "held/m": "ready" }, data: { m: "ready" } });
  const other = { fieldManager: "other-agent", force: true };
  const metadata = { name: "n1", namespace: "default" };
  await client.apply(ConfigMap, { apiVersion: "v1", kind: "ConfigMap", metadata, data: { m: "ready" } }, other);
  const labels = { "held/m": "ready" };
  await client.apply(Node, { apiVersion: "v1", kind: "Node", metadata: { name: "n1", labels } }, other);
  await client.delete(ConfigMap, { namespace: "default", name: "m" });
  gone("m");
  await shows({ labels: {}, data: {} });
});

test("a node whose labels change lets go of what is for others, also of what an agent before it held", async (t) => {
  const { client, request, say, shows, wanted, released, again, gone } = await startScene(t);
  await request("m", { zone: "a" });
  await shows({ labels: { "held/m": "updating" }, data: { m: "updating" } });
  say({ key: "m", is: "ready" });
  await shows({ labels: { "held/m": "ready" }, data: { m: "ready" } });
  await again();
  await client.patch(Node, { name: "n1" }, { type: "merge", body: { metadata: { labels: { zone: "b" } } } });
  for (let left = 50; left > 0 && released.length === 0; left--) await turns(10);
  assert.deepEqual([wanted, released], [[], ["m"]]);
  gone("m");
  await shows({ labels: {}, data: {} });
});

test("a kind that the server does not have holds nothing up, and nothing is cleared away for it", async (t) => {
  const { client } = await startStage(t);
  await client.create(Node, { apiVersion: "v1", kind: "Node", metadata: { name: "n2" } });
  const Absent: Kind<ConfigMap> = { ...ConfigMap, group: "nobody.example", plural: "wishes", kind: "Wish" };
  const observed = Promise.withResolvers<string>();
  const failures: string[] = [];
  const agent = new ModelStoreAgent<ConfigMap>({
    client,
    node: "n2",
    api: { ...api, kinds: [ConfigMap, Absent] },
    onError: (what) => void failures.push(what),
    managerOf: () => ({
      want: (_, leftovers) => observed.resolve(leftovers),
      release: () => assert.fail("nothing was held"),
      stop: async () => undefined,
    }),
  });
  t.after(() => agent.stop());
  assert.equal(agent.findObstacle(), "caches are not synced yet");
  agent.start();
  assert.equal(await observed.promise, "keep");
  assert.equal(agent.findObstacle(), undefined);
  assert.deepEqual(failures, ["watch of wishes failed"]);
  await client.delete(Node, { name: "n2" });
  for (let left = 50; left > 0 && agent.findObstacle() === undefined; left--) await turns(10);
  assert.equal(agent.findObstacle(), "Node n2 not found");
});
