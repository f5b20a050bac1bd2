import { globSync } from "node:fs";
import { join, sep } from "node:path";
import { formatMemory } from "@trivium/engines";
import { type Finding, isStoreInside, Store, VolumeStore } from "@trivium/weights";

/** The store of the node, and those of volumes: a claim keeps its weights itself, and pods can write there. */
export interface WeightStores {
  readonly own: Store;
  readonly inVolumes: readonly VolumeStore[];
}

export const weightStoreFolders = (home: string): string[] => [
  ownFolder(home),
  ...volumePlaces(home).map(({ folder }) => folder),
];

export const weightStores = (home: string): WeightStores => ({
  own: new Store(ownFolder(home)),
  inVolumes: volumePlaces(home).map(({ folder, volume }) => new VolumeStore(folder, volume)),
});

const ownFolder = (home: string): string => join(home, "weights");

/** A link to elsewhere is no store of the volume now; a pod can still put one there later. */
const volumePlaces = (home: string) =>
  globSync("volumes/{*,*/*,*/*/*}/.trivium", { cwd: home })
    .sort()
    .map((path) => ({ folder: join(home, path), volume: join(home, ...path.split(sep).slice(0, 2)) }))
    .filter(({ folder, volume }) => isStoreInside(folder, volume));

interface Verified {
  readonly models: number;
  readonly findings: readonly Finding[];
}

/**
 * Reads all weights of a home and compares them with their checksums. What is damaged in the store of the node is removed; what is damaged
 * in a volume is reported. The volumes come last, so that none of them delays the store of the node.
 */
export async function verifyStores(home: string): Promise<{ readonly models: number; readonly findings: Finding[] }> {
  const { own, inVolumes } = weightStores(home);
  const first = await orUnchecked(ownFolder(home), async () => {
    const findings = await own.fsck();
    return { models: (await own.list()).length, findings };
  });
  const others = await Promise.all(inVolumes.map((store) => orUnchecked(store.volume, () => store.check())));
  const checked = [first, ...others];
  return {
    models: checked.reduce((sum, { models }) => sum + models, 0),
    findings: checked.flatMap(({ findings }) => findings),
  };
}

/** A store that cannot be checked is reported, and the others are checked all the same. */
async function orUnchecked(path: string, verify: () => Promise<Verified>): Promise<Verified> {
  try {
    return await verify();
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { models: 0, findings: [{ path, problem: "unchecked", repair: why }] };
  }
}

/** What downloads take on the disk, in words; undefined where there are none. */
export async function describeStored(home: string): Promise<string | undefined> {
  const { own, inVolumes } = weightStores(home);
  const stores = [own, ...inVolumes];
  const models = (await Promise.all(stores.map((store) => store.list()))).flat();
  const unfinished = (await Promise.all(stores.map((store) => store.unfinished()))).flat();
  const parts = [describe("downloaded model", models), describe("unfinished download", unfinished)];
  const known = parts.filter((part) => part !== undefined);
  return known.length === 0 ? undefined : `${known.join("; ")}; trivium models ls lists them`;
}

function describe(what: string, models: readonly { readonly size: number }[]): string | undefined {
  if (models.length === 0) return undefined;
  const bytes = models.reduce((sum, { size }) => sum + size, 0);
  return `${models.length} ${models.length === 1 ? what : `${what}s`}, ${formatMemory(bytes)}`;
}
