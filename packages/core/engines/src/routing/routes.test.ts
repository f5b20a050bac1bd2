import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Gateway, GatewayClass, HTTPRoute, Service } from "@trivium/kube";
import fc from "fast-check";
import { type AttachmentWorld, attachRoute, commonHostnames } from "./attach-route.ts";
import { isHostOf, isPrefix, RouteTable } from "./match-route.ts";
import { pickBackend } from "./pick-backend.ts";
import { planRoutes } from "./plan-routes.ts";
import type { BackendWorld } from "./resolve-backends.ts";
import { rewritePath } from "./rewrite-path.ts";
import type { RouteEntry, RouteMatch, RouteRule } from "./route-table.ts";

const rule = (route: string): RouteRule => ({ route, filters: [], backends: [], timeouts: {} });
const entry = (route: string, match: RouteMatch, more: Partial<RouteEntry> = {}): RouteEntry => ({
  hostname: undefined,
  match,
  rule: rule(route),
  created: "2026-01-01T00:00:00Z",
  place: 1,
  ...more,
});
const exact = (value: string): RouteMatch => ({ path: { type: "Exact", value } });
const prefix = (value: string): RouteMatch => ({ path: { type: "PathPrefix", value } });

function found(
  entries: RouteEntry[],
  path: string,
  more: { host?: string; method?: string; query?: string; headers?: Record<string, string> } = {},
) {
  const { host = "h", method = "GET", query = "", headers = {} } = more;
  return new RouteTable(entries).match({ host, path, query, method, header: (name) => headers[name] })?.rule.route;
}

describe("the order of routes", () => {
  const cases: [string, RouteEntry[], Parameters<typeof found>[2], string | undefined][] = [
    ["an exact path before a longer prefix", [entry("p", prefix("/a/b")), entry("e", exact("/a/b"))], {}, "e"],
    ["the longer prefix", [entry("short", prefix("/a")), entry("long", prefix("/a/b"))], {}, "long"],
    [
      "a host before any path",
      [entry("path", exact("/a/b")), entry("host", prefix("/"), { hostname: "h" })],
      {},
      "host",
    ],
    [
      "the longer wildcard",
      [entry("w", prefix("/"), { hostname: "*.b" }), entry("ww", prefix("/"), { hostname: "*.a.b" })],
      { host: "x.a.b" },
      "ww",
    ],
    ["a method", [entry("any", prefix("/a")), entry("get", { ...prefix("/a"), method: "GET" })], {}, "get"],
    [
      "more headers",
      [
        entry("one", { ...prefix("/a"), headers: [{ name: "A", value: "1" }] }),
        entry("two", {
          ...prefix("/a"),
          headers: [
            { name: "A", value: "1" },
            { name: "B", value: "2" },
          ],
        }),
      ],
      { headers: { a: "1", b: "2" } },
      "two",
    ],
    [
      "more query parameters",
      [entry("none", prefix("/a")), entry("one", { ...prefix("/a"), queryParams: [{ name: "q", value: "1" }] })],
      { query: "q=1&q=2" },
      "one",
    ],
    [
      "the older route",
      [entry("young", prefix("/a"), { created: "2026-02-01T00:00:00Z" }), entry("old", prefix("/a"))],
      {},
      "old",
    ],
    ["the first name", [entry("x/b", prefix("/a")), entry("x/a", prefix("/a"))], {}, "x/a"],
    [
      "the first rule",
      [
        entry("x", prefix("/a"), { place: 2, rule: rule("x") }),
        entry("x", prefix("/a"), { place: 1, rule: { ...rule("x"), route: "x" } }),
      ],
      {},
      "x",
    ],
    ["nothing when only the host fits", [entry("a", exact("/other"), { hostname: "h" })], {}, undefined],
    [
      "what is less specific when the more specific does not match",
      [entry("host", exact("/other"), { hostname: "h" }), entry("any", prefix("/"))],
      {},
      "any",
    ],
    [
      "nothing for a pattern that cannot be read",
      [entry("bad", { path: { type: "RegularExpression", value: "/(a" } })],
      {},
      undefined,
    ],
    [
      "nothing for half of a pattern",
      [entry("re", { path: { type: "RegularExpression", value: "/a" } })],
      {},
      undefined,
    ],
    ["a pattern as a whole", [entry("re", { path: { type: "RegularExpression", value: "/a/(b|c)" } })], {}, "re"],
  ];
  for (const [what, entries, request, expected] of cases) {
    it(`takes ${what}`, () => {
      assert.equal(found(entries, "/a/b", request), expected);
      assert.equal(found(entries.toReversed(), "/a/b", request), expected);
    });
  }

  it("ends prefixes where segments end", () => {
    for (const [value, path, fits] of [
      ["/a", "/a", true],
      ["/a", "/a/", true],
      ["/a/", "/a", true],
      ["/a", "/ab", false],
      ["/", "/anything", true],
      ["/a/b", "/a", false],
    ] as const) {
      assert.equal(isPrefix(value, path), fits, `${value} ${path}`);
    }
  });

  it("does not depend on the order in which routes are read", () => {
    const paths = fc.constantFrom("/", "/a", "/a/b", "/b");
    const made = fc.array(fc.tuple(paths, fc.boolean(), fc.constantFrom(undefined, "h", "*.x")), { maxLength: 8 });
    fc.assert(
      fc.property(made, paths, (list, path) => {
        const entries = list.map(([value, isExact, hostname], index) =>
          entry(`n/${index}`, isExact ? exact(value) : prefix(value), { hostname }),
        );
        assert.equal(found(entries, path), found(entries.toReversed(), path));
      }),
    );
  });
});

describe("hosts", () => {
  it("lets a wildcard stand for one label or more", () => {
    assert.deepEqual(
      ["a.example.com", "b.a.example.com", "example.com", "xexample.com"].map((host) =>
        isHostOf("*.example.com", host),
      ),
      [true, true, false, false],
    );
  });

  it("gives a listener and a route what they have in common", () => {
    for (const [listener, hostnames, expected] of [
      [undefined, ["a.com"], ["a.com"]],
      ["a.com", [undefined], ["a.com"]],
      ["*.com", ["a.com", "b.org"], ["a.com"]],
      ["a.com", ["*.com"], ["a.com"]],
      ["a.com", ["b.com"], []],
      ["*.a.com", ["*.com"], ["*.a.com"]],
    ] as const) {
      assert.deepEqual(commonHostnames(listener, hostnames), expected);
    }
  });
});

describe("parents that do not exist", () => {
  const route: HTTPRoute = {
    apiVersion: "gateway.networking.k8s.io/v1",
    kind: "HTTPRoute",
    metadata: { name: "r", namespace: "n" },
    spec: { parentRefs: [{ name: "missing" }], rules: [{ backendRefs: [{ name: "s", port: 80 }] }] },
  };
  const world = (orphans: AttachmentWorld["orphans"]): AttachmentWorld & BackendWorld => ({
    controllerName: "ours",
    orphans,
    gateway: () => undefined as Gateway | undefined,
    gatewayClass: () => undefined as GatewayClass | undefined,
    namespaceLabels: () => undefined,
    service: () => ({ apiVersion: "v1", kind: "Service", metadata: {}, spec: { ports: [{ port: 80 }] } }) as Service,
    grants: () => [],
  });

  it("are left alone, or adopted where that was asked for", () => {
    assert.deepEqual(attachRoute(route, world("leave")), []);
    assert.equal(planRoutes([route], world("leave")).length, 0);
    assert.equal(attachRoute(route, world("adopt"))[0]?.accepted.status, "True");
    assert.equal(planRoutes([route], world("adopt")).length, 1);
  });
});

describe("rewriting paths", () => {
  it("replaces prefixes as the Gateway API's table says", () => {
    for (const [path, matched, replacement, expected] of [
      ["/foo/bar", "/foo", "/xyz", "/xyz/bar"],
      ["/foo/bar", "/foo", "/xyz/", "/xyz/bar"],
      ["/foo/bar", "/foo/", "/xyz", "/xyz/bar"],
      ["/foo", "/foo", "/xyz", "/xyz"],
      ["/foo/", "/foo", "/xyz", "/xyz/"],
      ["/foo/bar", "/foo", "", "/bar"],
      ["/foo/", "/foo", "/", "/"],
      ["/foo", "/foo", "/", "/"],
      ["/foo//evil.example", "/foo", "/", "/evil.example"],
    ] as const) {
      assert.equal(
        rewritePath(path, { type: "ReplacePrefixMatch", replacePrefixMatch: replacement }, prefix(matched)),
        expected,
      );
    }
    assert.equal(rewritePath("/a", { type: "ReplaceFullPath", replaceFullPath: "/b" }, exact("/a")), "/b");
  });
});

describe("weights", () => {
  it("give each backend its share and never one of weight zero", () => {
    const backend = (service: string, weight: number) =>
      ({ is: "backend", weight, filters: [], backend: { namespace: "n", service, port: 1 } }) as const;
    const weighted: RouteRule = { ...rule("r"), backends: [backend("a", 1), backend("none", 0), backend("b", 3)] };
    const counts: Record<string, number> = {};
    for (let step = 0; step < 100; step += 1) {
      const picked = pickBackend(weighted, step / 100);
      const name = picked?.is === "backend" ? picked.backend.service : "?";
      counts[name] = (counts[name] ?? 0) + 1;
    }
    assert.deepEqual(counts, { a: 25, b: 75 });
    assert.equal(pickBackend({ ...rule("r"), backends: [backend("none", 0)] }, 0), undefined);
  });
});
