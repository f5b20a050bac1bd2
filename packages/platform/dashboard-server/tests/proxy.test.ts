import assert from "node:assert/strict";
import { request } from "node:http";
import { after, before, describe, it } from "node:test";
import type { ApiRequest } from "@trivium/kube";
import { type Fixture, startFixture } from "./fixture.ts";

const maps = "/k8s/api/v1/namespaces/default/configmaps";
const map = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" }, data: { x: "1" } };

describe("the Kubernetes API behind the dashboard", () => {
  let fixture: Fixture;
  let cookie: string;
  const sent: ApiRequest[] = [];
  before(async () => {
    fixture = await startFixture({
      around: (transport) => (request) => {
        sent.push(request);
        return transport(request);
      },
    });
    cookie = await fixture.logIn();
  });
  after(() => fixture.stop());

  it("creates, reads, applies, patches and deletes objects", async () => {
    const created = await fixture.call(maps, { method: "POST", cookie, body: map });
    assert.equal(created.status, 201);
    const applied = await fixture.call(`${maps}/a?fieldManager=dashboard&force=true&dryRun=All`, {
      method: "PATCH",
      cookie,
      headers: { "content-type": "application/apply-patch+yaml" },
      body: { ...map, data: { x: "2" } },
    });
    assert.deepEqual([applied.status, (applied.json as { data?: { x?: string } }).data?.x], [200, "2"]);
    const read = await fixture.call(`${maps}/a`, { cookie });
    assert.equal((read.json as { data?: { x?: string } }).data?.x, "1", "a dry run changes nothing");
    assert.equal((await fixture.call(`${maps}/a`, { method: "DELETE", cookie })).status, 200);
    const missing = await fixture.call(`${maps}/a`, { cookie });
    assert.deepEqual([missing.status, (missing.json as { reason?: string }).reason], [404, "NotFound"]);
  });

  it("answers 200 with the status beside it where the page asks for what may be missing", async () => {
    const headers = { "x-trivium-status": "any" };
    const missing = await fixture.call(`${maps}/nowhere`, { cookie, headers });
    assert.deepEqual(
      [missing.status, missing.headers["x-trivium-status"], (missing.json as { reason?: string }).reason],
      [200, "404", "NotFound"],
    );
  });

  it("hands on neither cookies nor headers that change who calls", async () => {
    sent.length = 0;
    const headers = { "impersonate-user": "root", authorization: "Bearer stolen", "x-remote-user": "root" };
    assert.equal((await fixture.call(maps, { cookie, headers })).status, 200);
    assert.deepEqual(Object.keys(sent.at(-1)?.headers ?? {}), ["accept"]);
  });

  it("no encoding leads to another path than the one that was checked", async () => {
    sent.length = 0;
    for (const path of [
      "/k8s/../session",
      "/k8s/api/v1/../../metrics",
      "/k8s/api/v1/namespaces/default/..%2f..%2fsecrets",
      "/k8s/api/v1/namespaces/default%2fsecrets",
      "/k8s/api/v1/namespaces/default/pods%2f..%2fsecrets",
      "/k8s/api/v1/namespaces/%2e%2e/pods",
      "/k8s/api/v1/namespaces/default/%252e%252e/pods",
      "/k8s/api/v1/namespaces//secrets",
      "/k8s//api/v1/pods",
      "/k8s/api/v1/pods%00",
      "/k8s/api/v1/pods%0d%0ax-evil:1",
      "/k8s/api/v1\\pods",
      "/k8s/api/v1/pods/%ff",
      "/k8s/",
      "/k8s/metrics",
      "/k8s/healthz",
      "/k8s/logs/kube.log",
      "/k8s/api/v1/proxy/nodes/n",
      "/k8s/api/v1/watch/secrets",
    ]) {
      const { status } = await fixture.call(path, { cookie });
      assert.ok([400, 403, 404].includes(status), `${path} ${status}`);
    }
    assert.deepEqual(sent, [], "nothing reached the API");
  });

  it("shows no Secrets, issues no tokens, runs no commands and reaches no network of the cluster", async () => {
    sent.length = 0;
    const ns = "/k8s/api/v1/namespaces/default";
    for (const [method, path] of [
      ["GET", "/k8s/api/v1/secrets"],
      ["GET", `${ns}/secrets/x`],
      ["GET", `${ns}/%73ecrets/x`],
      ["POST", `${ns}/serviceaccounts/default/token`],
      ["POST", `${ns}/pods/x/exec?command=sh`],
      ["GET", `${ns}/pods/x/exec`],
      ["GET", `${ns}/pods/x/attach`],
      ["GET", `${ns}/pods/x/portforward`],
      ["GET", `${ns}/services/x:80/proxy/`],
      ["GET", `${ns}/services/x:80/proxy/admin`],
      ["GET", "/k8s/api/v1/nodes/n/proxy/logs"],
      ["POST", `${ns}/pods/x/eviction`],
      ["DELETE", `${ns}/pods`],
      ["DELETE", "/k8s/api/v1/namespaces"],
      ["POST", "/k8s/apis"],
      ["TRACE", `${ns}/pods`],
      ["GET", `${ns}/pods?watch=true`],
      ["GET", `${ns}/pods?as=root`],
    ] as const) {
      const { status, text } = await fixture.call(path, {
        method,
        cookie,
        ...(method === "POST" ? { body: "{}" } : {}),
      });
      assert.ok([400, 403, 404, 405].includes(status), `${method} ${path}: ${status} ${text}`);
    }
    assert.deepEqual(sent, [], "nothing reached the API");
  });

  it("a body that is too large is refused before it is read, and while it arrives", async () => {
    const declared = await fixture
      .call(maps, { method: "POST", cookie, body: "x".repeat(4 * 1024 * 1024) })
      .catch((error: NodeJS.ErrnoException) => ({ status: error.code }));
    assert.ok([413, "EPIPE", "ECONNRESET"].includes(declared.status as never), String(declared.status));
    const chunked = await sendEndless(fixture.port, cookie);
    assert.ok([413, "EPIPE", "ECONNRESET"].includes(chunked as never), String(chunked));
    const headers = { "content-type": "text/html" };
    assert.equal((await fixture.call(maps, { method: "POST", cookie, body: "{}", headers })).status, 400);
  });

  it("names that every JavaScript object knows are names of groups like others", async () => {
    for (const group of ["constructor", "__proto__", "toString"]) {
      const { status } = await fixture.call(`/k8s/apis/${group}/v1/things`, { method: "POST", cookie, body: map });
      assert.equal(status, 404, group);
    }
    assert.deepEqual(fixture.logged, []);
  });

  it("answers are data for a browser, whatever they hold", async () => {
    const evil = { ...map, metadata: { name: "evil" }, data: { x: "<script>alert(1)</script>" } };
    await fixture.call(maps, { method: "POST", cookie, body: evil });
    const { headers } = await fixture.call(`${maps}/evil`, { cookie });
    assert.equal(headers["content-type"], "application/json; charset=utf-8");
    assert.match(String(headers["content-security-policy"]), /sandbox/);
    assert.equal(headers["cache-control"], "no-store");
  });

  it("an API that does not respond is a line, not a hanging page, and answers again after its restart", async () => {
    await fixture.stopApi();
    const { status, json } = await fixture.call(maps, { cookie });
    assert.deepEqual([status, json.error?.code], [503, "Unavailable"]);
    await fixture.startApi();
    assert.equal((await fixture.call(maps, { cookie })).status, 200);
  });

  it("inspects no model where it cannot, and says so", async () => {
    const { status } = await fixture.call("/inspect", { method: "POST", cookie, body: { source: "a/b" } });
    assert.equal(status, 404);
  });
});

/** A body whose length is not declared and that never ends; resolves with the answer, or with how the connection ended. */
function sendEndless(port: number, cookie: string): Promise<number | string> {
  const { promise, resolve } = Promise.withResolvers<number | string>();
  const headers = { cookie, "x-trivium-request": "1", "content-type": "application/json" };
  const outgoing = request({ host: "127.0.0.1", port, path: maps, method: "POST", headers, agent: false });
  const more = () => {
    while (!outgoing.destroyed && outgoing.write("x".repeat(64 * 1024)));
  };
  outgoing.on("drain", more);
  outgoing.on("response", (incoming) => {
    resolve(incoming.statusCode ?? 0);
    outgoing.destroy();
  });
  outgoing.on("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? ""));
  more();
  return promise;
}

describe("a read-only dashboard", () => {
  it("reads and asks for permissions, and changes nothing", async () => {
    const fixture = await startFixture({ isReadOnly: true });
    const cookie = await fixture.logIn();
    assert.equal((await fixture.call("/session", { cookie })).json.isReadOnly, true);
    assert.equal((await fixture.call(maps, { cookie })).status, 200);
    for (const [method, path] of [
      ["POST", maps],
      ["PUT", `${maps}/a`],
      ["PATCH", `${maps}/a`],
      ["DELETE", `${maps}/a`],
      ["POST", "/k8s/apis/authorization.k8s.io/v1/subjectaccessreviews"],
    ] as const) {
      const { status, json } = await fixture.call(path, { method, cookie, body: map });
      assert.deepEqual([status, json.error?.code], [403, "ReadOnly"], `${method} ${path}`);
    }
    const review = { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" };
    const path = "/k8s/apis/authentication.k8s.io/v1/selfsubjectreviews";
    assert.equal((await fixture.call(path, { method: "POST", cookie, body: review })).status, 201);
    await fixture.stop();
  });
});
