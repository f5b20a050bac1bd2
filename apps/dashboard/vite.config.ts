import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";
import { kindTables } from "./build/kinds.ts";

const root = fileURLToPath(new URL(".", import.meta.url));

export default defineConfig({
  root,
  base: "./",
  plugins: [kindTables],
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    outDir: "dist",
    emptyOutDir: true,
    target: "es2023",
    // The policy of the page allows no inline asset but images.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 4000,
    rolldownOptions: {
      // Packages that have parts for Node are read whole and loaded in part; a test looks that no such part is left.
      onLog: (level, log, report) => {
        if (log.plugin !== "rolldown:vite-resolve") report(level, log);
      },
    },
  },
});
