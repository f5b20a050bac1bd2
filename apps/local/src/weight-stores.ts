import { globSync } from "node:fs";
import { join, sep } from "node:path";
import { formatMemory } from "@trivium/engines";
import { isStoreInside, Store } from "@trivium/weights";

interface StorePlace {
  readonly folder: string;
  /** The volume that holds it; pods can write there. */
  readonly within?: string;
}

/** The store of the node, and those of volumes: a claim keeps its weights itself. */
export const weightStoreFolders = (home: string): string[] => storePlaces(home).map(({ folder }) => folder);

export const weightStores = (home: string): Store[] =>
  storePlaces(home).map(({ folder, ...options }) => new Store(folder, options));

function storePlaces(home: string): StorePlace[] {
  const inVolumes = globSync("volumes/{*,*/*,*/*/*}/.trivium", { cwd: home })
    .sort()
    .map((path) => ({ folder: join(home, path), within: join(home, ...path.split(sep).slice(0, 2)) }))
    .filter(({ folder, within }) => isStoreInside(folder, within));
  return [{ folder: join(home, "weights") }, ...inVolumes];
}

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
