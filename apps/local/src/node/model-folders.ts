import { readdir } from "node:fs/promises";
import { posix } from "node:path";
import { describeRefusedPath } from "@trivium/engines";
import { type HostRoot, hostFolder } from "@trivium/node";
import { type Store, WeightsError } from "@trivium/weights";

/** Where models may be on a node. */
export interface ModelFolders {
  /** The agent's own: models are fetched to folders in them, and removed from there. */
  readonly roots: readonly HostRoot[];
  /** The user's: models are fetched to folders in them that are new or empty. */
  readonly shared: readonly HostRoot[];
  /** Models that are there already are used; nothing is written. */
  readonly readable: readonly HostRoot[];
  /** Where `readable` is set, for a message; the operator's own settings where it is left out. */
  readonly readableBy?: string;
  /** What to do so that `folder` may be used. */
  remedyOf(folder: string): string;
}

/** What the agent knows beside the folders. */
export interface AgentDisk {
  readonly folders: ModelFolders;
  readonly store: Store;
  /** Folder of the store. */
  readonly storeFolder: string;
}

/** Where a folder that a model names really is; throws with a sentence for people when it cannot be used so. */
export async function findModelFolder(path: string, use: "filled" | "read", disk: AgentDisk): Promise<string> {
  const { roots, shared, readable } = disk.folders;
  const wanted = posix.normalize(path).replace(/(?<=.)\/+$/, "");
  const taken = use === "filled" ? [...roots, ...shared] : roots;
  if (taken.some((root) => root.path === wanted))
    throw refused(`storage.path ${path} is the root of all models; use a folder below it`);
  const allowed = use === "filled" ? taken : [...roots, ...shared, ...readable];
  const root = nearest(allowed, wanted);
  if (root === undefined)
    throw refused(use === "read" ? unreadable(wanted, allowed, disk.folders) : outside(wanted, allowed, disk.folders));
  const folder = await hostFolder({ path: wanted }, allowed).catch((error: unknown) => {
    throw refused(error instanceof Error ? error.message : String(error));
  });
  if (isIn(disk.storeFolder, folder))
    throw refused(`storage.path ${path} is used by the node agent for its own files; choose another folder`);
  if (use === "filled" && !roots.includes(root)) await confirmFree(folder, path, disk.store);
  return folder;
}

const refused = (why: string): WeightsError => new WeightsError("refused", "OutsideRoots", why);

const isIn = (root: string, path: string): boolean => `${path}/`.startsWith(`${root.replace(/\/+$/, "")}/`);

const nearest = (roots: readonly HostRoot[], path: string): HostRoot | undefined =>
  roots.filter((root) => isIn(root.path, path)).sort((a, b) => b.path.length - a.path.length)[0];

/** The sentence that every API has for a file of a node. */
const unreadable = (path: string, allowed: readonly HostRoot[], { readableBy }: ModelFolders): string =>
  describeRefusedPath(path, [...new Set(allowed.map((root) => root.path))], readableBy);

function outside(path: string, allowed: readonly HostRoot[], { remedyOf }: ModelFolders): string {
  const known = [...new Set(allowed.map((root) => root.path))].join(", ");
  return `storage.path ${path} is not in an allowed folder of this node (allowed: ${known}); ${remedyOf(rootFor(path))}`;
}

/** The folder that a person would allow: the first two levels, under which catalogues have an organisation and a model. */
function rootFor(path: string): string {
  const words = path.split("/").filter((word) => word !== "");
  return `/${words.slice(0, Math.max(1, Math.min(2, words.length - 1))).join("/")}`;
}

/** What a person put into a folder of theirs is neither mixed with other files nor removed with a model. */
async function confirmFree(folder: string, path: string, store: Store): Promise<void> {
  const found = await readdir(folder).catch(() => []);
  if (found.length === 0 || (await isShownBy(store, folder))) return;
  const why = `storage.path ${path} contains other files; serve them with storageUri local://${path}, or choose another storage.path`;
  throw refused(why);
}

async function isShownBy(store: Store, folder: string): Promise<boolean> {
  for (const { key } of await store.list())
    if ((await store.references(key)).some((one) => one.is === "view" && one.path === folder)) return true;
  return false;
}
