import assert from "node:assert/strict";
import { test } from "node:test";
import { build } from "esbuild";
import { escapeBeyondAscii } from "./ascii-sources.ts";
import { bundleOptions, programs } from "./bundles.ts";

test("what is beyond ASCII is written as escapes that mean the same", () => {
  const source = "const µ = /^[µ…]+$/.test('µ…') && '😀'.length;";
  const escaped = escapeBeyondAscii(source);
  assert.match(escaped, /^\p{ASCII}+$/v);
  assert.equal(new Function(`${escaped} return µ;`)(), 2);
  assert.equal(escapeBeyondAscii("plain"), "plain");
});

test("the operator's bundle is ASCII, so that it is kept in one byte a character", async () => {
  const entry = { entryPoints: [programs.operator], outfile: "operator.mjs" };
  const { outputFiles } = await build({ ...bundleOptions, ...entry, write: false });
  const text = outputFiles[0]?.text ?? "";
  assert.ok(text.length > 100_000);
  // Notices of licences are comments, and stay as they are.
  const beyond = [...text.replaceAll(/\/\*![\s\S]*?\*\//g, "").matchAll(/.{0,20}[^\p{ASCII}]/gv)].map(
    ([found]) => found,
  );
  assert.deepEqual(beyond, []);
});
