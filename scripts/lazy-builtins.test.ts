import assert from "node:assert/strict";
import { test } from "node:test";
import { build } from "esbuild";
import { bundleOptions } from "./bundles.ts";

test("a bundle takes node:http without what its import loads, and its functions work", async () => {
  const contents = `import { createServer, STATUS_CODES } from "node:http";
    export const names = [typeof createServer, STATUS_CODES[404]];`;
  const stdin = { contents, resolveDir: import.meta.dirname };
  const { outputFiles, metafile } = await build({ ...bundleOptions, stdin, write: false, metafile: true });
  const [output] = Object.values(metafile.outputs);
  assert.deepEqual(output?.imports.filter(({ path }) => path.endsWith("http")) ?? [], []);
  const text = outputFiles[0]?.text ?? "";
  const { names } = (await import(
    `data:text/javascript,${encodeURIComponent(text.replace("import.meta.url", "'file:///'"))}`
  )) as {
    names: unknown;
  };
  assert.deepEqual(names, ["function", "Not Found"]);
});
