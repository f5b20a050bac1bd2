import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The folder with the bundles of all programs, where somebody has built them for the tests: they start several times faster than sources. */
const bundles = process.env.TRIVIUM_TEST_BUNDLES;

/** The command line of one of our programs: its bundle where there is one, otherwise its sources. */
export function ownProgram(name: string, source: URL | string): string[] {
  const bundle = bundles === undefined ? undefined : join(bundles, `${name}.mjs`);
  if (bundle !== undefined && existsSync(bundle)) return [process.execPath, bundle];
  return [process.execPath, typeof source === "string" ? source : fileURLToPath(source)];
}
