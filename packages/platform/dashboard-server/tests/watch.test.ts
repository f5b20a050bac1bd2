import assert from "node:assert/strict";
import type { IncomingMessage } from "node:http";
import { after, before, describe, it } from "node:test";
import { ConfigMap } from "@trivium/kube";
import { until } from "@trivium/testkit";
import { type Fixture, open, startFixture } from "./fixture.ts";
import { openStream } from "./stream.ts";

const path = "/api/v1/namespaces/default/configmaps";
const bodyOf = (name: string, data: Record<string, string> = {}): ConfigMap => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, namespace: "default" },
  data,
});

describe("many watches over one connection", () => {
  let fixture: Fixture;
  let cookie: string;
  const create = (name: string) => fixture.client.create(ConfigMap, bodyOf(name));
  before(async () => {
    fixture = await startFixture();
    cookie = await fixture.logIn();
    await create("first");
  });
  after(() => fixture.stop());

  it("begin with everything and continue with each change, without what a page does not need", async () => {
    const stream = openStream(fixture.port, cookie, [
      { id: "maps", path },
      { id: "namespaces", path: "/api/v1/namespaces" },
      { id: "one", path: `${path}?fieldSelector=metadata.name%3Dfirst` },
    ]);
    const { items, resourceVersion } = await stream.list("maps");
    const first = items.find(({ metadata }) => metadata.name === "first");
    assert.equal((first as { kind?: string } | undefined)?.kind, "ConfigMap");
    assert.equal(first?.metadata.managedFields, undefined);
    assert.match(resourceVersion, /^\d+$/);
    assert.ok((await stream.list("namespaces")).items.some(({ metadata }) => metadata.name === "default"));
    await create("second");
    const { object } = await stream.event("maps", "second");
    assert.equal(object.metadata.managedFields, undefined);
    await fixture.client.delete(ConfigMap, { namespace: "default", name: "second" });
    await stream.event("maps", "second", "DELETED");
    assert.ok(stream.lines.every((line) => !("id" in line) || line.id !== "one" || line.type === "LIST"));
    stream.close();
  });

  it("resume where the page stopped: nothing is lost and nothing is sent twice", async () => {
    const before = openStream(fixture.port, cookie, [{ id: "maps", path }]);
    const { resourceVersion } = await before.list("maps");
    before.close();
    await create("missed");
    const resumed = openStream(fixture.port, cookie, [{ id: "maps", path, resourceVersion }]);
    await resumed.event("maps", "missed");
    await create("after");
    await resumed.event("maps", "after");
    const names = resumed.lines.flatMap((line) => ("object" in line ? [line.object.metadata.name] : []));
    assert.deepEqual(names, ["missed", "after"]);
    assert.ok(resumed.lines.every(({ type }) => type !== "LIST"));
    resumed.close();
  });

  it("a version that is too old gives everything again; one that is none is refused", async () => {
    const { resourceVersion = "" } = (await create("old")).metadata;
    await create("newer");
    fixture.forgetHistory();
    const stream = openStream(fixture.port, cookie, [{ id: "maps", path, resourceVersion }]);
    const { items } = await stream.list("maps");
    assert.ok(items.some(({ metadata }) => metadata.name === "newer"));
    await create("newest");
    await stream.event("maps", "newest");
    stream.close();
    const wrong = openStream(fixture.port, cookie, [{ id: "maps", path, resourceVersion: "not-a-version" }]);
    assert.equal((await wrong.error("maps")).isRetried, false);
    wrong.close();
  });

  it("what cannot be watched is a line, and the others continue", async () => {
    const stream = openStream(fixture.port, cookie, [
      { id: "secrets", path: "/api/v1/secrets" },
      { id: "escape", path: "/api/v1/namespaces/..%2f..%2fsecrets" },
      { id: "object", path: `${path}/first` },
      { id: "parameter", path: `${path}?watch=true` },
      { id: "unknown", path: "/apis/example.com/v1/things" },
      { id: "maps", path },
    ]);
    for (const id of ["secrets", "escape", "object", "parameter"]) {
      const { code, isRetried } = await stream.error(id);
      assert.ok(code >= 400 && !isRetried, id);
    }
    const unknown = await stream.error("unknown");
    assert.deepEqual([unknown.code, unknown.isRetried], [404, true], "its API may be installed later");
    await stream.list("maps");
    stream.close();
  });

  it("a request of another form is refused as a whole", async () => {
    for (const body of [
      {},
      { watches: [] },
      { watches: "x" },
      { watches: [null] },
      { watches: [{ id: "a" }] },
      { watches: [{ id: "", path }] },
      {
        watches: [
          { id: "a", path },
          { id: "a", path },
        ],
      },
      { watches: [{ id: "a", path, resourceVersion: "1&watch=true" }] },
      { watches: [{ id: "a", path, resourceVersion: { toString: 1 } }] },
      { watches: [{ id: "a", path, resourceVersion: null }] },
      { watches: Array.from({ length: 65 }, (_, at) => ({ id: String(at), path })) },
      { watches: [{ id: "a", path: `/${"x".repeat(300_000)}` }] },
    ]) {
      const { status } = await fixture.call("/k8s-watch", { method: "POST", cookie, body });
      assert.ok([400, 413].includes(status), JSON.stringify(body).slice(0, 80));
    }
    assert.equal((await fixture.call("/k8s-watch", { cookie })).status, 405);
    assert.equal(
      (await fixture.call("/k8s-watch", { method: "POST", body: { watches: [{ id: "a", path }] } })).status,
      401,
    );
  });

  it("the API server restarts: the page is told once, and the stream goes on where it was", async () => {
    const stream = openStream(fixture.port, cookie, [{ id: "maps", path }]);
    await stream.list("maps");
    await fixture.stopApi();
    const { code, isRetried } = await stream.error("maps");
    assert.deepEqual([code, isRetried], [0, true]);
    await create("during-restart");
    await fixture.startApi();
    await stream.event("maps", "during-restart");
    assert.equal(stream.lines.filter(({ type }) => type === "LIST").length, 1, "nothing is sent twice");
    stream.close();
  });

  it("ends with the session", async () => {
    const own = await fixture.logIn();
    const stream = openStream(fixture.port, own, [{ id: "maps", path }]);
    await stream.list("maps");
    await fixture.call("/session", { method: "DELETE", cookie: own });
    await until(() => stream.isEnded, "the end of the stream");
  });

  it("a page opens a limited number of them, and closed ones do not count", async () => {
    const own = await fixture.logIn();
    const streams = Array.from({ length: 16 }, () => openStream(fixture.port, own, [{ id: "maps", path }]));
    for (const stream of streams) await stream.list("maps");
    const more = () =>
      fixture.call("/k8s-watch", { method: "POST", cookie: own, body: { watches: [{ id: "a", path: "/x" }] } });
    assert.equal((await more()).status, 429);
    for (const stream of streams) stream.close();
    let next: ReturnType<typeof openStream> | undefined;
    await until(async () => {
      next?.close();
      next = openStream(fixture.port, own, [{ id: "maps", path }]);
      const { lines } = next;
      await until(() => lines.length > 0 || next?.isEnded === true, "an answer").catch(() => undefined);
      return lines.some(({ type }) => type === "LIST");
    }, "a stream after the others were closed");
    next?.close();
  });
});

describe("a watch that its user may not open", () => {
  it("is a line with the answer of the API", async () => {
    const fixture = await startFixture({ login: "cluster-token" });
    const rules = [{ apiGroups: [""], resources: ["configmaps"], verbs: ["list", "watch"] }];
    const cookie = await fixture.logIn(await fixture.account("viewer", rules));
    const stream = openStream(fixture.port, cookie, [
      { id: "pods", path: "/api/v1/pods" },
      { id: "maps", path },
    ]);
    const { code, reason, isRetried, message } = await stream.error("pods");
    assert.deepEqual([code, reason, isRetried], [403, "Forbidden", false]);
    assert.match(message, /cannot list/);
    await stream.list("maps");
    stream.close();
    await fixture.stop();
  });
});

describe("a page that does not read", () => {
  it("holds up nothing else", async () => {
    const fixture = await startFixture();
    const cookie = await fixture.logIn();
    const large = "x".repeat(700_000);
    const names = Array.from({ length: 16 }, (_, at) => `large-${at}`);
    for (const name of names) await fixture.client.create(ConfigMap, bodyOf(name, { large }));
    const body = { watches: [{ id: "maps", path }] };
    const deaf = open(fixture.port, "/k8s-watch", { method: "POST", cookie, body });
    deaf.on("error", () => undefined);
    await new Promise((resolve) => deaf.on("response", (incoming) => resolve(incoming.pause())));
    const reading = openStream(fixture.port, cookie, [{ id: "maps", path }]);
    assert.ok((await reading.list("maps")).items.length >= names.length);
    await fixture.client.create(ConfigMap, bodyOf("later"));
    await reading.event("maps", "later");
    deaf.destroy();
    reading.close();
    await fixture.stop();
  });

  it("and asks for many collections has few of them in memory", async () => {
    let begun = 0;
    const items = [{ metadata: { name: "large" }, data: { large: "x".repeat(12_000_000) } }];
    const body = JSON.stringify({ apiVersion: "v1", kind: "ConfigMapList", metadata: { resourceVersion: "1" }, items });
    const fixture = await startFixture({
      around: (transport) => async (request) => {
        const isList = request.path.startsWith(path) && !request.path.includes("watch=true");
        if (!isList) return transport(request);
        begun += 1;
        return { status: 200, headers: {}, body };
      },
    });
    const cookie = await fixture.logIn();
    const watches = Array.from({ length: 12 }, (_, at) => ({ id: `${at}`, path: `${path}?labelSelector=a!%3Db${at}` }));
    const deaf = open(fixture.port, "/k8s-watch", { method: "POST", cookie, body: { watches } });
    deaf.on("error", () => undefined);
    const incoming = await new Promise<IncomingMessage>((resolve) =>
      deaf.on("response", (one) => resolve(one.pause())),
    );
    await until(() => begun === 4, "the first lists");
    // A stream that reads is served meanwhile; all that the other one could ask for it has asked for by then.
    const reading = openStream(fixture.port, cookie, [{ id: "namespaces", path: "/api/v1/namespaces" }]);
    await reading.list("namespaces");
    assert.equal(begun, 4);
    incoming.resume();
    await until(() => begun >= watches.length, "all lists, once the page reads");
    reading.close();
    deaf.destroy();
    await fixture.stop();
  });
});
