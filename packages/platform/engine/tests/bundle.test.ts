import assert from "node:assert/strict";
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { it } from "node:test";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { startServer } from "./support/server.ts";

it("works as one bundled file beside the native package", async () => {
  // A bundle finds the binding from where it lies, so it has to lie inside the project.
  const folder = fileURLToPath(new URL("../../../../dist/engine-test", import.meta.url));
  const outfile = join(folder, `engine-${process.pid}.mjs`);
  mkdirSync(folder, { recursive: true });
  try {
    await build({
      entryPoints: [fileURLToPath(new URL("../src/main.ts", import.meta.url))],
      outfile,
      bundle: true,
      platform: "node",
      target: "node24",
      format: "esm",
      external: ["@fugood/llama.node"],
      logLevel: "error",
    });
    await using server = await startServer({ command: [process.execPath, outfile], args: ["-np", "2"] });
    const { json } = await server.post("/completion", { prompt: "Once", n_predict: 3 });
    assert.equal(json.tokens_predicted, 3);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
