import { globSync } from "node:fs";
import { join } from "node:path";
import { formatMemory } from "@trivium/engines";
import { Store } from "@trivium/weights";

/** The store of the node, and those of volumes: a claim keeps its weights itself. */
export function weightStoreFolders(home: string): string[] {
  const inVolumes = globSync("volumes/{*,*/*,*/*/*}/.trivium", { cwd: home }).sort();
  return ["weights", ...inVolumes].map((path) => join(home, path));
}

export const weightStores = (home: string): Store[] => weightStoreFolders(home).map((folder) => new Store(folder));

/** Reads all weights of a home and compares them with their checksums; what is damaged is removed. */
export async function verifyStores(home: string): Promise<{ readonly models: number; readonly findings: Finding[] }> {
  const stores = weightStores(home);
  const findings = (await Promise.all(stores.map((store) => store.fsck()))).flat();
  const models = (await Promise.all(stores.map((store) => store.list()))).flat().length;
  return { models, findings };
}

type Finding = Awaited<ReturnType<Store["fsck"]>>[number];

/** What downloads take on the disk, in words; undefined where there are none. */
export async function describeStored(home: string): Promise<string | undefined> {
  const models = (await Promise.all(weightStores(home).map((store) => store.list()))).flat();
  if (models.length === 0) return undefined;
  const bytes = models.reduce((sum, { size }) => sum + size, 0);
  const count = `${models.length} downloaded ${models.length === 1 ? "model" : "models"}`;
  return `${count}, ${formatMemory(bytes)}; trivium models ls lists them`;
}
