import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { type Embedded, startEmbedded } from "../kubectl/embedded.ts";
import { widgetCrd } from "../kubectl/manifests.ts";
import { clientOf } from "./client.ts";

/** Whatever comes over the socket, the whole server answers clearly and goes on. */
let folder = "";
let embedded: Embedded;
let ask: ReturnType<typeof clientOf>["ask"];
let open: ReturnType<typeof clientOf>["open"];

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "trivium-hostile-"));
  embedded = await startEmbedded(folder);
  ({ ask, open } = clientOf(embedded.server, embedded.identity));
  const crd = await post("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", widgetCrd, yaml);
  assert.equal(crd.status, 201, crd.body);
  await embedded.api.idle();
});
after(async () => {
  const health = await ask("/readyz");
  assert.equal(health.body, "ok", "the server is not well after all this");
  await embedded.close();
  await rm(folder, { recursive: true, force: true });
});

const json = "application/json";
const yaml = "application/yaml";
const maps = "/api/v1/namespaces/default/configmaps";
const widgets = "/apis/kubectl.example.dev/v1alpha1/namespaces/default/widgets";

async function post(path: string, body: string | Buffer, type = json) {
  const headers = { "content-type": type, "content-length": String(Buffer.byteLength(body)) };
  return await ask(path, { method: "POST", body, headers });
}

async function refused(
  path: string,
  body: string | Buffer,
  type = json,
): Promise<{ code: number; reason: string; message: string }> {
  const answer = await post(path, body, type);
  const status = JSON.parse(answer.body);
  assert.equal(status.kind, "Status", answer.body);
  assert.equal(status.status, "Failure");
  assert.equal(answer.status, status.code);
  return status;
}

describe("bodies", () => {
  it("that are no JSON or YAML", async () => {
    for (const body of [
      "",
      "{",
      '{"a":',
      "[1,2",
      "nul",
      "\u0000",
      '{"a":1}}',
      "<html>",
      '{"kind":"ConfigMap"} trailing',
    ]) {
      const status = await refused(maps, body);
      assert.equal(status.code, 400, body);
      assert.equal(status.reason, "BadRequest");
    }
    for (const body of ["a: [b", "a: b: c", "\t- x", "&a [*b]", "- 1", "%bad"]) {
      assert.equal((await refused(maps, body, yaml)).code, 400, body);
    }
    assert.equal((await refused(maps, "{}", "text/plain")).code, 415);
    assert.equal((await refused(maps, Buffer.from([0xff, 0xfe, 0x00]), json)).code, 400);
  });

  it("that are JSON but no object", async () => {
    for (const body of ["3", '"x"', "[]", "true", '[{"kind":"ConfigMap"}]']) {
      assert.equal((await refused(maps, body)).code, 400, body);
      assert.equal((await refused(widgets, body)).code, 400, body);
    }
  });

  it("of 50 MB", async () => {
    const answer = await post(maps, Buffer.alloc(52_428_800, " "));
    assert.equal(answer.status, 413);
    assert.equal(JSON.parse(answer.body).message, "Request entity too large: limit is 3145728");
  });

  it("nested 10,000 deep, in every form", async () => {
    const deep = 10_000;
    const objects = `${'{"a":'.repeat(deep)}1${"}".repeat(deep)}`;
    const lists = "[".repeat(deep) + "]".repeat(deep);
    for (const [body, type] of [
      [objects, json],
      [lists, json],
      [lists, yaml],
      [objects, yaml],
      [
        `{"apiVersion":"kubectl.example.dev/v1alpha1","kind":"Widget","metadata":{"name":"d"},"spec":{"size":1,"x":${lists}}}`,
        json,
      ],
      [`${"- ".repeat(deep)}x`, yaml],
      [Array.from({ length: 505 }, (_, level) => `${" ".repeat(level)}a:\n`).join(""), yaml],
    ] as const) {
      assert.equal((await refused(widgets, body, type)).code, 400);
    }
    const patch = await ask(`${maps}/kube-root-ca.crt`, {
      method: "PATCH",
      body: objects,
      headers: { "content-type": "application/merge-patch+json" },
    });
    assert.equal(patch.status, 400, patch.body.slice(0, 200));
  });

  it("that are bombs", async () => {
    const levels = Array.from({ length: 20 }, (_, level) => `a${level}: &a${level} [${`*a${level - 1},`.repeat(9)}]`);
    const bomb = ["a0: &a0 [x,x,x,x,x,x,x,x,x]", ...levels.slice(1)].join("\n");
    assert.equal((await refused(maps, bomb, yaml)).code, 400);
  });

  it("with names that reach for prototypes change nothing", async () => {
    const body =
      '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"proto","labels":{"__proto__":"x"}},"data":{"constructor":"1"},"__proto__":{"polluted":"yes"}}';
    const answer = await post(maps, body);
    assert.ok(answer.status === 201 || (answer.status >= 400 && answer.status < 500), answer.body);
    assert.equal(({} as { polluted?: string }).polluted, undefined);
  });

  it("with unknown fields", async () => {
    const body = '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"unknown","lables":{}},"dta":{}}';
    const strict = await refused(`${maps}?fieldValidation=Strict`, body);
    assert.equal(strict.code, 400);
    assert.match(
      strict.message,
      /strict decoding error: unknown field "dta", unknown field "metadata\.lables"|unknown field "metadata\.lables", unknown field "dta"/,
    );
    const warned = await post(maps, body);
    assert.equal(warned.status, 201);
    assert.match(String(warned.headers.warning), /299 - "unknown field \\"dta\\""/);
  });
});

describe("paths and queries", () => {
  it("a name with a slash", async () => {
    for (const path of [`${maps}/a%2Fb`, `${maps}/..%2F..%2Fsecrets`, "/api/v1/namespaces/a%2Fb/configmaps"]) {
      const answer = await ask(path);
      assert.ok(answer.status === 404 || answer.status === 400 || answer.status === 200, `${path} ${answer.status}`);
      if (answer.status === 200) assert.deepEqual(JSON.parse(answer.body).items, []);
    }
    const body = '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a/b"}}';
    assert.equal((await refused(maps, body)).code, 422);
  });

  it("that mean nothing", async () => {
    for (const path of [
      "/api/v1/nope",
      "/apis/a/b/c/d/e/f/g",
      "/api/v2",
      "/%00",
      "/api/v1/namespaces/default/pods/x/y/z",
      "//api//v1",
    ]) {
      const answer = await ask(path);
      assert.ok([200, 400, 404].includes(answer.status), `${path} ${answer.status}`);
    }
    assert.equal((await ask("/api/v1/%E0%A4%A")).status, 400);
    for (const query of [
      "limit=-1",
      "limit=x",
      "labelSelector=%28%28",
      "fieldSelector=a",
      "resourceVersion=abc",
      "continue=!!!",
      "watch=1&resourceVersion=x",
      "timeoutSeconds=zz&watch=true",
    ]) {
      const answer = await ask(`${maps}?${query}`);
      assert.ok([400, 200, 410, 422].includes(answer.status), `${query} ${answer.status}`);
      if (answer.status === 200) JSON.parse(answer.body);
    }
  });

  it("methods that nobody expects", async () => {
    for (const [method, path] of [
      ["PUT", maps],
      ["PATCH", maps],
      ["POST", `${maps}/x`],
      ["DELETE", "/api/v1"],
      ["TRACE", maps],
      ["PROPFIND", maps],
    ] as const) {
      const answer = await ask(path, { method });
      assert.ok(
        answer.status === 405 || answer.status === 404 || answer.status === 400,
        `${method} ${path} ${answer.status}`,
      );
    }
  });
});

describe("watchers", () => {
  it("that never read do not hold back those that do", async () => {
    const stuck = await Promise.all(Array.from({ length: 5 }, () => open(`${maps}?watch=1&labelSelector=flood%3Dyes`)));
    for (const response of stuck) {
      response.on("error", () => {});
      response.pause();
    }
    const reader = await open(`${maps}?watch=1&labelSelector=flood%3Dyes`);
    let text = "";
    reader.setEncoding("utf8");
    reader.on("data", (chunk: string) => {
      text += chunk;
    });
    const data = { filler: "x".repeat(100_000) };
    for (let at = 0; at < 60; at++) {
      const metadata = { name: `flood-${at}`, labels: { flood: "yes" } };
      const made = await post(maps, JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata, data }));
      assert.equal(made.status, 201, made.body.slice(0, 300));
    }
    const deadline = Date.now() + 120_000;
    while (text.split("\n").length <= 60 && Date.now() < deadline)
      await new Promise((resolve) => setTimeout(resolve, 10));
    const names = text
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line).object.metadata.name);
    assert.deepEqual(
      names,
      Array.from({ length: 60 }, (_, at) => `flood-${at}`),
    );
    for (const response of [...stuck, reader]) response.destroy();
  });
});
