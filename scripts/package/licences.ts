import { existsSync } from "node:fs";
import { join } from "node:path";
import type { BuildResult } from "esbuild";

const names = ["LICENSE", "LICENSE.md", "LICENSE.txt", "license", "license.md", "LICENCE", "COPYING"];

/** The licence file of an installed package. */
export const licenceOf = (name: string): string | undefined =>
  names.map((each) => join("node_modules", name, each)).find((each) => existsSync(each));

/** The npm packages whose code is in a build that was made with a metafile. */
export function bundledPackages(results: readonly BuildResult[]): string[] {
  const paths = results.flatMap(({ metafile }) => Object.keys(metafile?.inputs ?? {}));
  const found = paths.flatMap((path) => /^node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? []);
  return [...new Set(found)].sort();
}
