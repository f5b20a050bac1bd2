import { existsSync, readdirSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";
import {
  type Accelerator,
  buildsFor,
  findAccelerators,
  type GpuBuild,
  gpuBuilds,
  type InstalledBuild,
} from "@trivium/node";
import { buildFolder, enginesFolder, proofFile } from "./places.ts";

/** Builds for GPUs that computed on this machine when they were added: pods get these. */
export const installedBuilds = (home: string): InstalledBuild[] =>
  gpuBuilds.filter((name) => existsSync(proofFile(home, name))).flatMap((name) => presentBuild(home, name) ?? []);

/** A build whose files are here, with the variables by which the engine finds it and its libraries. */
export function presentBuild(home: string, name: GpuBuild): InstalledBuild | undefined {
  const folder = buildFolder(home, name);
  if (!existsSync(join(folder, "llama-addon.node"))) return undefined;
  const libraries = name === "cuda" || name === "cuda12" ? cudaLibraries() : [];
  const paths = [...(process.env.LD_LIBRARY_PATH?.split(delimiter) ?? []), ...libraries].filter((path) => path !== "");
  const search = paths.length === 0 ? {} : { LD_LIBRARY_PATH: [...new Set(paths)].join(delimiter) };
  const compiled = name.startsWith("cuda") ? kernelCache(home) : {};
  return { name, env: { TRIVIUM_ENGINE_BUILD: folder, ...search, ...compiled } };
}

/** What the driver compiled for the GPU is kept for the next pod, which has a home of its own. */
const kernelCache = (home: string): Record<string, string> => ({
  CUDA_CACHE_PATH: join(enginesFolder(home), "kernels"),
  CUDA_CACHE_MAXSIZE: String(4 * 1024 ** 3),
});

/** Where CUDA's libraries are when the dynamic linker does not know it: the toolkit, WSL, packages of Python. */
function cudaLibraries(): string[] {
  const toolkits = namesIn("/usr/local")
    .filter((name) => name.startsWith("cuda"))
    .flatMap((name) => [`/usr/local/${name}/lib64`, `/usr/local/${name}/targets/x86_64-linux/lib`]);
  const sites = ["/usr/lib", "/usr/local/lib", join(homedir(), ".local/lib")].flatMap((root) =>
    namesIn(root)
      .filter((name) => name.startsWith("python3"))
      .flatMap((name) => [join(root, name, "site-packages"), join(root, name, "dist-packages")]),
  );
  const wheels = sites.flatMap((site) =>
    namesIn(join(site, "nvidia")).map((name) => join(site, "nvidia", name, "lib")),
  );
  return [...toolkits, "/opt/cuda/lib64", "/usr/lib/wsl/lib", ...wheels].filter((path) => existsSync(path));
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort().reverse();
  } catch {
    return [];
  }
}

/** The GPUs of this machine. */
export const findGpus = (): Promise<Accelerator[]> => findAccelerators(process.env.PATH ?? "", () => undefined);

/** The build that these GPUs need and that is not installed. */
export function suggestBuild(gpus: readonly Accelerator[], installed: readonly InstalledBuild[]): GpuBuild | undefined {
  for (const { vendor } of gpus) {
    const builds = buildsFor[vendor];
    if (!builds.some((name) => installed.some((build) => build.name === name))) return builds[0];
  }
  return undefined;
}
