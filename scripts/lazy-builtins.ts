import type { Plugin } from "esbuild";

const namespace = "lazy-builtins";

/**
 * `import … from "node:http"` makes Node read every property of that module at the start, and one of them loads a whole HTTP client (WebSocket
 * of undici, about 20 ms). Asked for as a function, the module comes without them.
 */
export const lazyBuiltins: Plugin = {
  name: namespace,
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^(node:)?http$/ }, ({ kind }) =>
      kind === "import-statement" ? { path: "node:http", namespace } : undefined,
    );
    onLoad({ filter: /./, namespace }, ({ path }) => ({
      contents: `module.exports = process.getBuiltinModule("${path}");`,
    }));
  },
};
