import type { ImageMachine } from "../src/images/image-row.ts";

/** A machine that has exactly these programs, model files and Python modules. */
export const machine = (
  programs: readonly string[] = [],
  gguf: Record<string, string> = {},
  modules: string[] = [],
): ImageMachine => ({
  hasModule: async (module) => modules.includes(module),
  which: (program) => {
    if (program.startsWith("/")) return programs.includes(program) ? program : undefined;
    return programs.includes(program) ? `/usr/bin/${program}` : undefined;
  },
  findGguf: async (path) => (path.endsWith(".gguf") ? path : gguf[path]),
  shims: { folder: "/shims", path: "/shims:/usr/bin" },
  programs: { engine: ["/n", "engine.ts"], weights: ["/n", "weights.ts"] },
});
