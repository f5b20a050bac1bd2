import { join } from "node:path";
import type { GpuBuild } from "@trivium/node";

/** The version of the engine's own binding: builds of another version do not fit it. */
export const bindingVersion = "3.22.1";

export const platform = `${process.platform === "darwin" ? "mac" : process.platform}-${process.arch}`;

export const enginesFolder = (home: string): string => join(home, "engines");

/** The packages of a build. The one for CUDA 12 is the one for CUDA 13 with another library for the GPU. */
export const packagesOf = (build: GpuBuild): string[] =>
  (build === "cuda12" ? ["cuda", "cuda-ext"] : [build]).map((name) => `@node-llama-cpp/${platform}-${name}`);

/** Where a package has its libraries. */
export const binariesOf = (home: string, build: GpuBuild | "cuda-ext"): string => {
  const folder = join(enginesFolder(home), "node_modules", `@node-llama-cpp/${platform}-${build}`, "bins");
  return build === "cuda-ext" ? join(folder, `${platform}-cuda`, "fallback") : join(folder, `${platform}-${build}`);
};

/** The folder from which the engine loads a build. */
export const buildFolder = (home: string, build: GpuBuild): string =>
  build === "cuda12" ? join(enginesFolder(home), "cuda12") : binariesOf(home, build);

/** Says that a build was tried on this machine and computed. */
export const proofFile = (home: string, build: GpuBuild): string => join(enginesFolder(home), `${build}.tried`);
