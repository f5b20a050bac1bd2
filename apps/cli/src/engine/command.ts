import {
  findGpus,
  installBuild,
  installedBuilds,
  presentBuild,
  proveBuild,
  provenBuild,
  removeBuild,
  suggestBuild,
} from "@trivium/local";
import { type Accelerator, buildsFor, type GpuBuild, gpuBuilds } from "@trivium/node";
import { Refusal } from "@trivium/std";

export interface EngineOptions {
  readonly home: string;
}

export interface AddOptions extends EngineOptions {
  /** Installs a build that no GPU of this machine needs. */
  readonly force?: boolean;
}

/** The GPUs of this machine, and which builds of the engine compute on them. */
export async function listBuilds({ home }: EngineOptions): Promise<void> {
  const gpus = await findGpus();
  console.log(gpus.length === 0 ? "GPUs: none found" : "GPUs:");
  for (const { vendor, product, count, memoryGiB } of gpus)
    console.log(`  ${count} x ${product} (${vendor}, ${Math.round(memoryGiB)}Gi)`);
  console.log("Builds of the engine:");
  console.log("  cpu     included");
  for (const name of gpuBuilds) {
    if (presentBuild(home, name) === undefined) continue;
    const { isUsable, text } = provenBuild(home, name) ?? (await proveBuild(home, name));
    console.log(`  ${name.padEnd(7)} ${isUsable ? `ready: ${text}` : `not usable: ${text}`}`);
  }
  const suggestion = suggestBuild(gpus, installedBuilds(home));
  if (suggestion !== undefined) console.log(`Install the build for these GPUs with: trivium engine add ${suggestion}`);
}

/** A build that cannot compute here stays: what it lacks can be installed afterwards, and `engine ls` tries it again. */
export async function addBuild(name: GpuBuild, { home, force }: AddOptions): Promise<void> {
  if (force !== true) refuseWithoutGpu(name, await findGpus());
  console.log(`Installing the ${name} build of the engine`);
  const { isUsable, text } = await installBuild(home, name);
  if (!isUsable) throw new Refusal(`the ${name} build is installed, but cannot be used: ${text}`);
  console.log(`Ready: ${text}`);
  console.log("Pods that request a GPU use it from their next start");
}

/** A build is hundreds of megabytes; without a GPU for it they are of no use. */
export function refuseWithoutGpu(name: GpuBuild, gpus: readonly Pick<Accelerator, "vendor">[]): void {
  const vendors = Object.entries(vendorNames).filter(([vendor]) => buildsFor[vendor as Vendor].includes(name));
  if (gpus.some(({ vendor }) => vendors.some(([one]) => one === vendor))) return;
  const names = new Intl.ListFormat("en", { type: "disjunction" }).format(vendors.map(([, shown]) => shown));
  throw new Refusal(`no ${names} GPU found; the ${name} build needs one (--force installs it anyway)`);
}

type Vendor = Accelerator["vendor"];
const vendorNames: Readonly<Record<Vendor, string>> = { nvidia: "NVIDIA", amd: "AMD", intel: "Intel", apple: "Apple" };

export function dropBuild(name: GpuBuild, { home }: EngineOptions): void {
  console.log(
    removeBuild(home, name) ? `removed the ${name} build of the engine` : `the ${name} build is not installed`,
  );
}
