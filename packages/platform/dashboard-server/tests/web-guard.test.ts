import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { type Fixture, startFixture } from "./fixture.ts";

describe("pages of other origins", () => {
  let fixture: Fixture;
  let cookie: string;
  before(async () => {
    fixture = await startFixture({ allowedHosts: ["models.example.com"] });
    cookie = await fixture.logIn();
  });
  after(() => fixture.stop());

  it("are refused by a foreign name that resolves to this machine", async () => {
    for (const host of ["evil.example", "evil.example:8081", "127.0.0.1.evil.example", "localhost.evil.example"]) {
      const { status, json } = await fixture.call("/session", { headers: { host }, cookie });
      assert.deepEqual([status, json.error?.code], [421, "HostNotAllowed"], host);
      const name = host.replace(/:.*/, "");
      assert.equal(json.error?.message, `Host ${name} is not allowed; use localhost or an IP address`);
      assert.equal((await fixture.call("/", { headers: { host } })).status, 421, `page for ${host}`);
    }
    for (const host of ["localhost:1", "127.0.0.1", "[::1]:80", "models.example.com"])
      assert.equal((await fixture.call("/session", { headers: { host }, cookie })).status, 200, host);
  });

  it("cannot call it from another origin, another port of this machine included", async () => {
    const own = `127.0.0.1:${fixture.port}`;
    for (const origin of [
      "https://evil.example",
      "http://127.0.0.1:1",
      "http://localhost:3000",
      "null",
      `ftp://${own}`,
    ]) {
      const { status, json } = await fixture.call("/k8s/api/v1/pods", { headers: { origin, host: own }, cookie });
      assert.deepEqual([status, json.error?.code], [403, "OriginNotAllowed"], origin);
    }
    const answer = await fixture.call("/k8s/api/v1/pods", { headers: { origin: `http://${own}`, host: own }, cookie });
    assert.equal(answer.status, 200);
  });

  it("cannot read data without saying where they are from", async () => {
    for (const site of ["cross-site", "same-site"])
      for (const path of ["/session", "/k8s/api/v1/pods", "/gateway-metrics"]) {
        const { status } = await fixture.call(path, { headers: { "sec-fetch-site": site }, cookie });
        assert.equal(status, 403, `${site} ${path}`);
      }
    assert.equal((await fixture.call("/", { headers: { "sec-fetch-site": "cross-site" } })).status, 200, "a link");
  });

  it("cannot send a form: each change needs a header that no form has", async () => {
    const headers = { "x-trivium-request": "", "content-type": "text/plain" };
    for (const [method, path] of [
      ["POST", "/session"],
      ["DELETE", "/session"],
      ["POST", "/k8s/api/v1/namespaces"],
      ["POST", "/k8s-watch"],
      ["POST", "/openai/v1/chat/completions"],
      ["POST", "/inspect"],
      ["POST", "/"],
    ] as const) {
      const { status, json } = await fixture.call(path, { method, headers, body: "{}", cookie });
      assert.deepEqual([status, json.error?.code], [403, "OriginNotAllowed"], `${method} ${path}`);
    }
  });

  it("get no permission by CORS, and no answer in a frame", async () => {
    const { status, headers } = await fixture.call("/k8s/api/v1/pods", {
      method: "OPTIONS",
      headers: { origin: "https://evil.example", "access-control-request-method": "POST" },
    });
    assert.equal(status, 403);
    assert.equal(headers["access-control-allow-origin"], undefined);
    for (const path of ["/", "/session", "/k8s/api/v1/pods", "/nothing"]) {
      const answer = await fixture.call(path, { cookie });
      assert.match(String(answer.headers["content-security-policy"]), /default-src 'none'.*frame-ancestors 'none'/);
      assert.equal(answer.headers["x-content-type-options"], "nosniff");
      assert.equal(answer.headers["referrer-policy"], "no-referrer");
      assert.equal(answer.headers["cross-origin-resource-policy"], "same-origin");
    }
    const { headers: ofPage } = await fixture.call("/");
    assert.doesNotMatch(String(ofPage["content-security-policy"]), /unsafe|\*/);
  });
});

describe("the files of the page", () => {
  let fixture: Fixture;
  before(async () => {
    fixture = await startFixture();
  });
  after(() => fixture.stop());

  it("are served with their type, compressed, and kept by the browser when their name has a hash", async () => {
    const root = await fixture.call("/");
    assert.deepEqual([root.status, root.headers["content-type"]], [200, "text/html; charset=utf-8"]);
    assert.equal(root.headers["cache-control"], "no-cache");
    const plain = await fixture.call("/assets/app-1a2b.js");
    assert.equal(plain.text.length, 3000);
    assert.match(String(plain.headers["cache-control"]), /immutable/);
    for (const encoding of ["br", "gzip"]) {
      const headers = { "accept-encoding": `deflate, ${encoding}` };
      const packed = await fixture.call("/assets/app-1a2b.js", { headers });
      assert.equal(packed.headers["content-encoding"], encoding);
      assert.ok(Number(packed.headers["content-length"]) < 200);
    }
    const head = await fixture.call("/assets/app-1a2b.js", { method: "HEAD" });
    assert.deepEqual([head.status, head.text], [200, ""]);
  });

  it("an address inside the page is the page", async () => {
    const headers = { accept: "text/html,*/*" };
    assert.match((await fixture.call("/services/default/chat", { headers })).text, /<title>Trivium/);
    assert.equal((await fixture.call("/assets/no-such.js")).status, 404);
  });

  it("no path leads out of their folder", async () => {
    for (const path of [
      "/../identity/token",
      "/assets/../../identity/token",
      "/assets/..%2f..%2fidentity/token",
      "/%2e%2e/%2e%2e/etc/passwd",
      "/..%5c..%5cetc",
      "//etc/passwd",
      "/assets/%00",
      "/assets/%zz",
      "/assets",
      "/assets/",
      "/.git/config",
    ]) {
      const { status, text } = await fixture.call(path);
      assert.equal(status, 404, path);
      assert.doesNotMatch(text, /root:|identity/);
    }
    assert.equal((await fixture.call("http://evil.example/")).status, 400);
    assert.equal((await fixture.call("/", { method: "PUT", body: "{}" })).status, 405);
  });
});

describe("a dashboard whose pages are not built", () => {
  it("says how to build them, and serves the rest", async () => {
    const fixture = await startFixture({ assets: {} });
    const page = await fixture.call("/");
    assert.equal(page.status, 503);
    assert.match(page.text, /not built; run npm run build/);
    assert.equal((await fixture.call("/session")).status, 200);
    await fixture.stop();
  });
});
