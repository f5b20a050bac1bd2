// The program as it is shipped: one file. It starts several times faster than its sources, which matters when many are started.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";

let built: Promise<string> | undefined;

/** The path of the bundle; made once a test process and gone with it. */
export function bundledProgram(): Promise<string> {
  built ??= bundle();
  return built;
}

async function bundle(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "weights-bundle-"));
  process.once("beforeExit", () => void rm(folder, { recursive: true, force: true }));
  const outfile = join(folder, "trivium-weights.mjs");
  await build({
    entryPoints: [join(import.meta.dirname, "../src/main.ts")],
    outfile,
    bundle: true,
    platform: "node",
    target: "node24",
    format: "esm",
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
    logLevel: "warning",
  });
  return outfile;
}
