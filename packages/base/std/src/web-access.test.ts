import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { faultOfAllowedHost, faultOfAllowedOrigin, isHostAllowed, isLoopback, isOriginAllowed } from "./web-access.ts";

const none = { hosts: [], origins: [] };

describe("who may call from a browser", () => {
  for (const host of [
    "localhost",
    "localhost:8080",
    "LOCALHOST.:1",
    "ui.localhost:3000",
    "127.0.0.1:8080",
    "192.168.1.7",
    "[::1]:8080",
    "demo",
    "demo.default.svc",
    "demo.default.svc.cluster.local:80",
    "host.docker.internal:8080",
  ])
    it(`answers for ${host}`, () => assert.ok(isHostAllowed(host, none)));

  for (const host of [
    "evil.example",
    "evil.example:8080",
    "127.0.0.1.evil.example",
    "localhost.evil.example",
    "evil.svc.example",
    "1.2.3",
    "",
    "a@localhost",
    "exämple.com",
  ])
    it(`does not answer for "${host}"`, () => assert.ok(!isHostAllowed(host, none)));

  it("answers for hosts that are listed", () => {
    assert.ok(isHostAllowed("models.example.com:443", { hosts: ["models.example.com"] }));
    assert.ok(isHostAllowed("a.b.example.com", { hosts: ["*.example.com"] }));
    assert.ok(!isHostAllowed("example.com", { hosts: ["*.example.com"] }));
    assert.ok(!isHostAllowed("badexample.com", { hosts: ["*.example.com"] }));
    assert.ok(isHostAllowed("anything.example", { hosts: ["*"] }));
  });

  for (const [origin, host] of [
    ["http://localhost:3000", "127.0.0.1:8080"],
    ["https://127.0.0.1", "x"],
    ["http://[::1]:5173", "x"],
    ["http://models.example.com", "models.example.com"],
    ["https://models.example.com:8443", "Models.example.com:8443"],
    ["vscode-webview://abc", "localhost"],
  ] as const)
    it(`lets pages of ${origin} call ${host}`, () => assert.ok(isOriginAllowed(origin, host, none)));

  for (const origin of [
    "https://evil.example",
    "null",
    "",
    "http://localhost.evil.example",
    "http://127.0.0.1.evil.example",
    "http://evil.example/localhost",
    "http://localhost@evil.example",
    "http://192.168.1.9",
    "chrome-extension://abc",
  ])
    it(`does not let pages of "${origin}" call`, () => assert.ok(!isOriginAllowed(origin, "127.0.0.1:8080", none)));

  it("lets listed origins call", () => {
    const origins = ["https://app.example.com", "https://*.trusted.example"];
    assert.ok(isOriginAllowed("https://app.example.com", "h", { origins }));
    assert.ok(isOriginAllowed("https://x.trusted.example", "h", { origins }));
    assert.ok(!isOriginAllowed("http://app.example.com", "h", { origins }));
    assert.ok(!isOriginAllowed("https://trusted.example", "h", { origins }));
    assert.ok(isOriginAllowed("null", "h", { origins: ["*"] }));
  });

  it("knows loopback addresses", () => {
    assert.deepEqual(["127.0.0.1", "127.9.9.9", "::1", "[::1]", "localhost"].map(isLoopback), Array(5).fill(true));
    assert.deepEqual(["0.0.0.0", "::", "10.0.0.1", "127.evil.example"].map(isLoopback), Array(4).fill(false));
  });

  it("says what is wrong with an entry", () => {
    assert.deepEqual(["*", "a.b", "*.a.b", "localhost"].map(faultOfAllowedHost), Array(4).fill(undefined));
    assert.match(faultOfAllowedHost("http://a.b") ?? "", /is not a valid host name \(expected e.g. models.example.com/);
    assert.deepEqual(["*", "null", "https://a", "https://*.a:8"].map(faultOfAllowedOrigin), Array(4).fill(undefined));
    assert.match(faultOfAllowedOrigin("a.b") ?? "", /is not a valid origin \(expected e.g. https:/);
    assert.match(faultOfAllowedOrigin("https://a.b/c") ?? "", /is not a valid origin/);
  });
});
