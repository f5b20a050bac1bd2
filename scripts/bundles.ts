import type { BuildOptions } from "esbuild";

/** The programs that are bundled, by the name of their bundle. */
export const programs = {
  trivium: "apps/cli/src/main.ts",
  engine: "packages/platform/engine/src/main.ts",
  gateway: "packages/platform/gateway/src/main.ts",
  load: "packages/platform/load/src/main.ts",
  operator: "apps/operator/src/main.ts",
  "node-agent": "apps/local/src/node-agent/main.ts",
  weights: "packages/platform/weights/src/main.ts",
} as const;

/** It loads its own native part from beside itself, so it is not in a bundle. */
export const nativeBinding = "@fugood/llama.node";

export const bundleOptions: BuildOptions = {
  bundle: true,
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
