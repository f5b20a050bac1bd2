import type { Accelerator } from "../devices/accelerators.ts";

/** The builds of the local engine that compute on GPUs. */
export const gpuBuilds = ["cuda", "cuda12", "vulkan", "metal"] as const;
export type GpuBuild = (typeof gpuBuilds)[number];

/** A build that is installed on this machine, and the variables by which the engine finds it. */
export interface InstalledBuild {
  readonly name: GpuBuild;
  readonly env: Readonly<Record<string, string>>;
}

/** Which builds compute on the cards of a vendor, the fastest first. */
export const buildsFor: Readonly<Record<Accelerator["vendor"], readonly GpuBuild[]>> = {
  nvidia: ["cuda", "cuda12", "vulkan"],
  amd: ["vulkan"],
  intel: ["vulkan"],
  apple: ["metal"],
};

/** The resources that containers request, and whose cards they mean. */
const vendorOf: Readonly<Record<string, Accelerator["vendor"]>> = {
  "nvidia.com/gpu": "nvidia",
  "amd.com/gpu": "amd",
  "gpu.intel.com/i915": "intel",
  "apple.com/gpu": "apple",
};

export type BuildChoice =
  | { readonly is: "chosen"; readonly env: Readonly<Record<string, string>> }
  | { readonly is: "missing"; readonly why: string };

/** The variables for the engine of a container with these cards. Where no build can use them, it does not start on the processor. */
export function chooseBuild(resources: readonly string[], installed: readonly InstalledBuild[]): BuildChoice {
  const [resource] = resources;
  if (resource === undefined) return { is: "chosen", env: {} };
  const vendor = vendorOf[resource];
  const wanted = vendor === undefined ? [] : buildsFor[vendor];
  const found = wanted.flatMap((name) => installed.find((build) => build.name === name) ?? [])[0];
  if (found !== undefined) return { is: "chosen", env: found.env };
  const [first] = wanted;
  const installs = first === undefined ? "" : `, which trivium engine add ${first} installs`;
  return { is: "missing", why: `it requests ${resource}, and the local engine has no build for that${installs}` };
}

/** What a service of this machine can request, so that the local engine computes on a GPU. */
export type GpuOffer =
  | { readonly is: "none" }
  | { readonly is: "unused"; readonly gpu: Accelerator; readonly build: GpuBuild }
  | { readonly is: "usable"; readonly gpu: Accelerator; readonly resource: string; readonly build: GpuBuild };

/** The GPU of this machine that the engine can use, the largest first; else the build that one of them needs. */
export function offerGpu(gpus: readonly Accelerator[], installed: readonly InstalledBuild[]): GpuOffer {
  const offers = [...gpus]
    .sort((a, b) => b.memoryGiB - a.memoryGiB)
    .flatMap((gpu): GpuOffer[] => {
      const resource = Object.entries(vendorOf).find(([, vendor]) => vendor === gpu.vendor)?.[0];
      const [first] = buildsFor[gpu.vendor];
      if (resource === undefined || first === undefined) return [];
      const build = buildsFor[gpu.vendor].find((name) => installed.some((one) => one.name === name));
      return build === undefined ? [{ is: "unused", gpu, build: first }] : [{ is: "usable", gpu, resource, build }];
    });
  return offers.find(({ is }) => is === "usable") ?? offers[0] ?? { is: "none" };
}

/** The kinds of accelerators in a list of limits. */
export const requestedAccelerators = (limits: Readonly<Record<string, unknown>> | undefined): string[] =>
  Object.entries(limits ?? {}).flatMap(([name, count]) => (name in vendorOf && Number(count) > 0 ? [name] : []));
