import { isAbsolute, join, resolve, sep } from "node:path";
import { formatMemory } from "@trivium/engines";
import { formatAge } from "@trivium/explain";
import { verifyStores, weightStores } from "@trivium/local";
import { parseSourceUri, Refusal } from "@trivium/std";
import { formatFinding, oneLine, runProgram, type Store, VolumeStore } from "@trivium/weights";
import { notFound } from "../cluster/choose.ts";
import { runPart } from "../commands/part.ts";
import { countOf } from "../count.ts";
import { fitTable, formatTable } from "../get/table.ts";
import { lookAt } from "../run/model.ts";
import { isPath, nameFor, parseTarget } from "../run/target.ts";

export interface StoreOptions {
  readonly home: string;
}

interface StoredModel {
  readonly key: string;
  readonly source: string;
  readonly bytes: number;
  readonly usedAt: string;
  /** Folders that show it, and names of what holds it. */
  readonly usedBy: readonly string[];
  /** A download that runs or has stopped half-way; it is no model yet. */
  readonly isUnfinished?: true;
}

const pulledFolder = (home: string): string => join(home, "models", "pulled");

export async function listModels({ home, output }: StoreOptions & { output: string }): Promise<string> {
  const { own, inVolumes } = weightStores(home);
  const stores = [own, ...inVolumes];
  const lists = await Promise.all([...stores.map(listStore), ...stores.map(listUnfinished)]);
  const models = lists.flat().sort((a, b) => a.source.localeCompare(b.source));
  if (output === "json") return `${JSON.stringify(models, null, 2)}\n`;
  if (models.length === 0) return "no downloaded weights; trivium run or trivium models pull downloads some\n";
  const rows = models.map(({ source, bytes, usedAt, usedBy, key, isUnfinished }) => [
    source,
    formatMemory(bytes),
    formatAge(Date.now() - Date.parse(usedAt)),
    isUnfinished
      ? "unfinished download"
      : usedBy.length === 0
        ? "-"
        : [...new Set(usedBy.map((one) => userOf(one, home)))].join(","),
    key.slice(0, 12),
  ]);
  const table = [["SOURCE", "SIZE", "LAST USED", "USED BY", "KEY"], ...rows.map((row) => row.map(oneLine))];
  const { columns } = process.stdout;
  return formatTable(columns === undefined ? table : fitTable(table, { columns, shortened: ["USED BY", "SOURCE"] }));
}

/** The claim whose volume has a folder, as `namespace/name`: the name of the volume's folder has both. */
function claimOf(folder: string): string | undefined {
  const [, namespace, name] = /\/volumes\/pvc-[0-9a-f-]+_([^/_]+)_([^/_]+)(?:\/|$)/.exec(folder) ?? [];
  return name === undefined ? undefined : `${namespace}/${name}`;
}

function userOf(folder: string, home: string): string {
  const claim = claimOf(folder);
  return claim === undefined ? folder.replace(`${home}/`, "") : `claim ${claim}`;
}

async function listStore(store: Store | VolumeStore): Promise<StoredModel[]> {
  const models = await store.list();
  return Promise.all(
    models.map(async ({ key, source, size, usedAt }) => ({
      key,
      source,
      bytes: size,
      usedAt: new Date(usedAt).toISOString(),
      usedBy: (await store.references(key)).map((one) =>
        one.is === "pin" ? "pin" : one.is === "holder" ? one.name : one.path,
      ),
    })),
  );
}

async function listUnfinished(store: Store | VolumeStore): Promise<StoredModel[]> {
  const models = await store.unfinished();
  return models.map(({ key, source, size, usedAt }) => ({
    ...{ key, source, bytes: size, usedAt: new Date(usedAt).toISOString(), usedBy: [] },
    isUnfinished: true,
  }));
}

export async function pullModel(model: string, { home, include }: StoreOptions & { include: readonly string[] }) {
  if (isPath(model))
    throw new Refusal(`${model} is a path of this machine and needs no download; trivium run serves it`);
  const { source, files } = await quantizationOf(model);
  const globs = [...include, ...files].flatMap((glob) => ["--include", glob]);
  const folder = join(pulledFolder(home), nameFor(model.replace(/[?#].*$/, "")));
  return runPart(runProgram, ["fetch", source, "--to", folder, "--store", join(home, "weights"), ...globs]);
}

/** Of `org/repo:Q8_0` the repository and the files of that quantization; any other model is as it was named. */
async function quantizationOf(model: string): Promise<{ readonly source: string; readonly files: readonly string[] }> {
  if (!/^(hf:\/\/)?[^:/]+\/[^:/]+:[^:/]+$/.test(model)) return { source: model, files: [] };
  const target = parseTarget(model);
  if (target.is !== "repository" || target.quantization === undefined) return { source: model, files: [] };
  const { source, chosen } = await lookAt(target, process.env);
  return { source, files: chosen };
}

/** Only what was pulled: weights that a service or a node uses are theirs to remove. */
export async function removeModel(name: string, { home }: StoreOptions): Promise<string> {
  const { own, inVolumes } = weightStores(home);
  const lists = await Promise.all(
    [own, ...inVolumes].map(async (store) => (await listStore(store)).map((model) => ({ store, model }))),
  );
  const all = lists.flat();
  // The same weights can be in the store of this machine and in volumes; those in volumes are not removed one by one.
  const named = all
    .filter((one) => isNamed(one.model, name))
    .sort((a, b) => Number(isInVolume(a)) - Number(isInVolume(b)));
  const [found] = named;
  if (found === undefined)
    throw notFound({
      what: "model",
      name,
      known: all.flatMap((one) => [one.model.source, shortKey(one.model)]),
      otherwise: "trivium models ls lists the weights",
    });
  const { store, model } = found;
  refuseInClaim(model);
  const pulled = resolve(pulledFolder(home)) + sep;
  const foreign = model.usedBy.filter((one) => !isAbsolute(one) || !resolve(one).startsWith(pulled));
  if (foreign.length > 0)
    throw new Refusal(`${model.source} is used by ${foreign.join(", ")}; delete the service or model first`);
  if (store instanceof VolumeStore)
    throw new Refusal(`${model.source} is in the volume ${store.volume}; delete the claim of that volume`);
  let freed = 0;
  for (const folder of model.usedBy) freed += (await store.remove(folder)).freedBytes;
  freed += (await store.removeUnused(model.key)).freedBytes;
  return `removed ${model.source}, freed ${formatMemory(freed)}`;
}

const isInVolume = ({ store, model }: { readonly store: unknown; readonly model: StoredModel }): boolean =>
  store instanceof VolumeStore || model.usedBy.some((one) => claimOf(one) !== undefined);

/** Services of a namespace share the weights in a claim, so they are deleted with it. */
function refuseInClaim({ source, usedBy }: StoredModel): void {
  const claim = usedBy.map(claimOf).find((one) => one !== undefined);
  if (claim === undefined) return;
  const [namespace, name] = claim.split("/");
  throw new Refusal(
    `${source} is in PersistentVolumeClaim ${claim}; it is deleted some minutes after the last model that uses it, or with the claim: kubectl delete pvc ${name} --namespace ${namespace}`,
  );
}

const shortKey = ({ key }: Pick<StoredModel, "key">): string => key.slice(0, 12);

/** Its source, or its key as far as `ls` prints it: a shorter part could be that of another model. */
const isNamed = ({ key, source }: StoredModel, name: string): boolean =>
  isSameSource(source, name) || (name.length >= 12 && key.startsWith(name));

/** `org/repo` and `hf://org/repo` are the same. */
const isSameSource = (one: string, other: string): boolean =>
  one === other ||
  (parseSourceUri(one).scheme === "hub" &&
    JSON.stringify(parseSourceUri(one)) === JSON.stringify(parseSourceUri(other)));

/** Pods can write into volumes, so what is there goes with the volume. */
export async function pruneModels({ home }: StoreOptions): Promise<string> {
  const { own, inVolumes } = weightStores(home);
  const { evicted, freedBytes } = await own.prune(0);
  const kept = (await own.list()).length;
  const left = (await Promise.all(inVolumes.map((store) => store.list()))).flat().length;
  return [
    `removed ${countOf(evicted.length, "model")}, freed ${formatMemory(freedBytes)}`,
    ...(kept === 0
      ? []
      : [`${countOf(kept, "model")} kept: in use, or in use until some minutes ago (keepWeights of trivium.yaml)`]),
    ...(left === 0
      ? []
      : [
          `${countOf(left, "model")} kept in volumes: removed some minutes after the last model that uses them, or with their claims`,
        ]),
  ].join("; ");
}

export async function verifyModels({ home }: StoreOptions): Promise<string> {
  const { models, findings } = await verifyStores(home);
  if (findings.length === 0) return `${countOf(models, "model")} verified, no damage`;
  process.exitCode = 1;
  return findings.map(formatFinding).join("\n");
}
