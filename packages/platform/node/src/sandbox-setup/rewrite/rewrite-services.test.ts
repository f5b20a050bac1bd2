import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiError, type KubeClient } from "@trivium/kube";
import { serviceRewriter } from "./rewrite-services.ts";

const known: Record<string, string> = { "cache/redis": "127.96.0.7", "a/headless": "None" };
const client = {
  async get(_: unknown, { namespace, name }: { namespace?: string; name: string }) {
    const clusterIP = known[`${namespace}/${name}`];
    if (clusterIP === undefined)
      throw new ApiError({
        kind: "Status",
        apiVersion: "v1",
        metadata: {},
        status: "Failure",
        code: 404,
        reason: "NotFound",
      });
    return { spec: { clusterIP } };
  },
} as unknown as KubeClient;

test("names of Services become their addresses, and nothing else changes", async () => {
  const table: [string, string][] = [
    ["redis://redis.cache.svc.cluster.local:6379/0", "redis://127.96.0.7:6379/0"],
    ["redis.cache.svc:6379", "127.96.0.7:6379"],
    ["redis.cache.svc.cluster.local.", "127.96.0.7"],
    ["http://user@redis.cache.svc/x", "http://user@127.96.0.7/x"],
    ["x.redis.cache.svc", "x.redis.cache.svc"],
    ["redis.cache.svc.example.com", "redis.cache.svc.example.com"],
    ["redis.cache.service", "redis.cache.service"],
    ["headless.a.svc", "headless.a.svc"],
    ["nobody.a.svc:1", "nobody.a.svc:1"],
    ["/models/redis.cache.svc-1", "/models/redis.cache.svc-1"],
  ];
  const rewrite = await serviceRewriter(
    client,
    table.map(([text]) => text),
  );
  for (const [text, expected] of table) assert.equal(rewrite(text), expected);
});
