import { type BuildOptions, type BuildResult, build } from "esbuild";
import { asciiSources } from "./ascii-sources.ts";
import { lazyBuiltins } from "./lazy-builtins.ts";
import { type LazyParts, recordLazyParts } from "./lazy-parts.ts";
import { libraryParts } from "./library-parts.ts";

/** The programs that are bundled into one file each, by the name of their bundle. */
export const programs = {
  engine: "packages/platform/engine/src/main.ts",
  gateway: "packages/platform/gateway/src/main.ts",
  load: "packages/platform/load/src/main.ts",
  operator: "apps/operator/src/main.ts",
  "node-agent": "apps/local/src/node-agent/main.ts",
  weights: "packages/platform/weights/src/main.ts",
} as const;

/** It loads its own native part from beside itself, so it is not in a bundle. */
export const nativeBinding = "@fugood/llama.node";

const plugins = [asciiSources, libraryParts, lazyBuiltins];

export const bundleOptions: BuildOptions = {
  bundle: true,
  plugins,
  platform: "node",
  target: "node24",
  format: "esm",
  minifySyntax: true,
  minifyWhitespace: true,
  outExtension: { ".js": ".mjs" },
  external: [nativeBinding],
  // Some dependencies are CommonJS and call require for Node's own modules.
  banner: {
    js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
  },
  logLevel: "warning",
};

/** Every program into a folder, flat: programs find each other, and their parts, beside themselves. */
export async function buildPrograms(outdir: string, options: BuildOptions = {}): Promise<BuildResult[]> {
  const common = { ...bundleOptions, ...options, outdir };
  const [single, commandLine] = await Promise.all([
    build({ ...common, entryPoints: programs }),
    buildCommandLine(common),
  ]);
  return [single, ...commandLine];
}

/** Parts that need the whole control plane. Built with the others, they would make each of those load it too. */
const wholes = ["trivium-cli-machine-foreground", "trivium-cli-manifests"];

/** The command line starts with its words alone, and each command loads what it needs. */
async function buildCommandLine(common: BuildOptions): Promise<BuildResult[]> {
  const parts: LazyParts = new Map();
  const lazy = { ...common, plugins: [...plugins, recordLazyParts(parts)] };
  const main = await build({ ...lazy, entryPoints: { trivium: "apps/cli/src/main.ts" } });
  const start = takeParts(parts);
  const program = await build({ ...lazy, entryPoints: Object.fromEntries(start) });
  const split = { ...common, splitting: true, chunkNames: "trivium-[hash]" };
  const commands = Map.groupBy(takeParts(parts), ([name]) => wholes.includes(name));
  const rest = [...commands.values()].map((list) => build({ ...split, entryPoints: Object.fromEntries(list) }));
  return [main, program, ...(await Promise.all(rest))];
}

function takeParts(parts: LazyParts): [string, string][] {
  const taken = [...parts].map(([source, name]): [string, string] => [name, source]);
  parts.clear();
  return taken;
}
