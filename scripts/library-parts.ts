import { createRequire } from "node:module";
import type { Plugin } from "esbuild";

/** What our sources import of a library, by the file that has it. */
interface Library {
  readonly parts: Readonly<Record<string, string>>;
  /** What else its entry point does. */
  readonly setup?: string;
}

/**
 * Libraries whose entry points load much more than is used: undici fetch, WebSocket, caches and mocks, and prom-client a tracing API. Every
 * program would parse that at its start. esbuild fails on a name that is missing here.
 */
const libraries: Readonly<Record<string, Library>> = {
  undici: {
    parts: {
      Agent: "undici/lib/dispatcher/agent.js",
      Pool: "undici/lib/dispatcher/pool.js",
      ProxyAgent: "undici/lib/dispatcher/proxy-agent.js",
      errors: "undici/lib/core/errors.js",
    },
    // Gives dispatchers their methods: request, stream and so on.
    setup: `import Dispatcher from "undici/lib/dispatcher/dispatcher.js";
      import api from "undici/lib/api/index.js";
      Object.assign(Dispatcher.prototype, api);`,
  },
  "prom-client": {
    parts: {
      AggregatorRegistry: "prom-client/lib/cluster.js",
      Counter: "prom-client/lib/counter.js",
      Gauge: "prom-client/lib/gauge.js",
      Histogram: "prom-client/lib/histogram.js",
      Registry: "prom-client/lib/registry.js",
    },
  },
};

const require = createRequire(import.meta.url);
const namespace = "library-parts";
const names = Object.keys(libraries).join("|");

/** Takes these libraries by their parts; a part that a program does not use is left out of its bundle. */
export const libraryParts: Plugin = {
  name: namespace,
  setup({ onResolve, onLoad }) {
    onResolve({ filter: new RegExp(`^(${names})$`) }, ({ path }) => ({ path, namespace }));
    onLoad({ filter: /./, namespace }, ({ path }) => ({ contents: contentsOf(libraries[path]) }));
    onResolve({ filter: new RegExp(`^(${names})/lib/`), namespace }, ({ path }) => ({
      path: require.resolve(path),
      sideEffects: false,
    }));
  },
};

function contentsOf({ parts, setup = "" }: Library = { parts: {} }): string {
  return [setup, ...Object.entries(parts).map(([name, path]) => `export { default as ${name} } from "${path}";`)].join(
    "\n",
  );
}
