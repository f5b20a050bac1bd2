import { relative } from "node:path";
import type { Plugin } from "esbuild";

/** Source → name of the bundle that it becomes. */
export type LazyParts = Map<string, string>;

/**
 * Leaves what is imported on demand out of a bundle and records it: it becomes a bundle of its own. A build that splits one graph would
 * put a file into the start as soon as the start imports anything from the same package.
 */
export const recordLazyParts = (parts: LazyParts): Plugin => ({
  name: "lazy-parts",
  setup(build) {
    build.onResolve({ filter: /^(\.|@trivium\/)/ }, async ({ path, kind, resolveDir, pluginData }) => {
      if (kind !== "dynamic-import" || pluginData === "resolved" || path.endsWith(".json")) return undefined;
      const found = await build.resolve(path, { kind, resolveDir, pluginData: "resolved" });
      if (found.errors.length > 0) return found;
      const name = partName(relative(process.cwd(), found.path));
      parts.set(found.path, name);
      return { path: `./${name}.mjs`, external: true };
    });
  },
});

/** `apps/cli/src/run/command.ts` → `trivium-cli-run-command` */
const partName = (source: string): string =>
  `trivium-${source
    .replace(/^(packages\/)?\w+\//, "")
    .replace(/\.ts$/, "")
    .split("/")
    .filter((word) => word !== "src" && word !== "index" && word !== "..")
    .join("-")}`;
