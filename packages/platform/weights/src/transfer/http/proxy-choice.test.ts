import assert from "node:assert/strict";
import { it } from "node:test";
import { proxyOf } from "./proxy-choice.ts";

it("chooses the proxy as other tools do", () => {
  const both = { HTTPS_PROXY: "http://s:1", http_proxy: "http://p:1" };
  for (const [url, environment, expected] of [
    ["https://a.example/x", both, "http://s:1"],
    ["http://a.example/x", both, "http://p:1"],
    ["https://a.example/x", { HTTP_PROXY: "http://p:1" }, "http://p:1"],
    ["http://a.example/x", { HTTPS_PROXY: "http://s:1" }, undefined],
    ["https://a.example/x", { HTTPS_PROXY: "proxy:3128" }, "http://proxy:3128"],
    ["https://a.example/x", {}, undefined],
    ["https://a.example/x", { ...both, NO_PROXY: "*" }, undefined],
    ["https://a.example/x", { ...both, NO_PROXY: "a.example" }, undefined],
    ["https://b.a.example/x", { ...both, NO_PROXY: ".a.example" }, undefined],
    ["https://b.a.example/x", { ...both, NO_PROXY: "other, *.a.example" }, undefined],
    ["https://ba.example/x", { ...both, NO_PROXY: "a.example" }, "http://s:1"],
    ["https://a.example:8443/x", { ...both, NO_PROXY: "a.example:443" }, "http://s:1"],
    ["https://a.example/x", { ...both, NO_PROXY: "a.example:443" }, undefined],
    ["http://[::1]/x", { ...both, NO_PROXY: "::1" }, "http://p:1"],
    ["http://[::1]/x", { ...both, NO_PROXY: "[::1]" }, undefined],
    ["http://10.0.0.1/x", { ...both, no_proxy: "10.0.0.1" }, undefined],
  ] as const)
    assert.equal(proxyOf(new URL(url), environment), expected, `${url} ${JSON.stringify(environment)}`);
});
