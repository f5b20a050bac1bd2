// Bundles each program into one file, and the command line into a few: they start several times faster than their sources do.

import { chmodSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { buildPrograms } from "./bundles.ts";
import { buildPages } from "./dashboard-pages.ts";

/** A program that was started before this build can still load a part of the build before. */
const keptFor = 24 * 60 * 60_000;

// A program can be started at this very moment: it finds the old bundle or the new one, never half of one.
mkdirSync("dist", { recursive: true });
const unfinished = mkdtempSync(join("dist", ".unfinished-"));
try {
  await buildPrograms(unfinished, { sourcemap: true });
  const built = readdirSync(unfinished);
  for (const file of built.sort(byNeed)) {
    chmodSync(join(unfinished, file), 0o755);
    renameSync(join(unfinished, file), join("dist", file));
  }
  for (const file of readdirSync("dist"))
    if (isPart(file) && !built.includes(file) && Date.now() - statSync(join("dist", file)).mtimeMs > keptFor)
      rmSync(join("dist", file), { force: true });
} finally {
  rmSync(unfinished, { recursive: true, force: true });
}

// Everything else works without the pages: the dashboard itself says that they are missing.
const fault = buildPages(join("dist", "dashboard"));
if (fault !== undefined) console.error(`warning: the pages of the dashboard are not built: ${fault}`);

function isPart(file: string): boolean {
  return file.startsWith("trivium-");
}

/** Maps and parts come before the programs that need them. */
function byNeed(a: string, b: string): number {
  return rankOf(a) - rankOf(b);
}

function rankOf(file: string): number {
  if (file.endsWith(".map")) return 0;
  return isPart(file) ? 1 : 2;
}
