import assert from "node:assert/strict";
import { test } from "node:test";
import { build } from "esbuild";
import { bundleOptions, programs } from "./bundles.ts";

test("the operator has the parts of libraries that it uses, and of the API server only what issues certificates", async () => {
  const entry = { entryPoints: [programs.operator], outfile: "operator.mjs" };
  const { metafile } = await build({ ...bundleOptions, ...entry, write: false, metafile: true });
  const [output] = Object.values(metafile.outputs);
  const sizes = Object.entries(output?.inputs ?? {}).map(([path, { bytesInOutput }]) => [path, bytesInOutput] as const);
  const sizeOf = (part: string): number =>
    sizes.filter(([path]) => path.includes(part)).reduce((sum, [, size]) => sum + size, 0);
  for (const used of ["undici/lib/dispatcher/pool.js", "undici/lib/api/index.js", "prom-client/lib/gauge.js"])
    assert.ok(sizeOf(used) > 0, used);
  for (const unused of ["undici/index.js", "undici/lib/mock/", "undici/lib/interceptor/", "undici/lib/web/websocket/"])
    assert.equal(sizeOf(unused), 0, unused);
  for (const unused of ["prom-client/index.js", "@opentelemetry/"]) assert.equal(sizeOf(unused), 0, unused);
  const server = sizeOf("packages/platform/apiserver/");
  assert.ok(server > 0 && server < 20_000, `${server} bytes`);
});
