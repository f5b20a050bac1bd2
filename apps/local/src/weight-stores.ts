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
  const checked = await Promise.all(storePlaces(home).map(verifyStore));
  return {
    models: checked.reduce((sum, { models }) => sum + models, 0),
    findings: checked.flatMap(({ findings }) => findings),
  };
}

/** Pods can write into the stores of volumes: one that cannot be checked is reported, and the others are checked all the same. */
async function verifyStore({ folder, ...options }: StorePlace): Promise<{ models: number; findings: Finding[] }> {
  const store = new Store(folder, options);
  try {
    const findings = await store.fsck();
    return { models: (await store.list()).length, findings };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { models: 0, findings: [{ path: folder, problem: "unchecked", repair: why }] };
  }
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
