import { mkdir, open, realpath, stat } from "node:fs/promises";
import { dirname, join, posix, relative } from "node:path";
import type { api } from "@trivium/kube";
import { getOwn } from "@trivium/std";
import { isWithin, whereItLeads } from "./inside.ts";
import { MountFault } from "./mount-fault.ts";

/** A folder of this machine that pods may name. */
export interface HostRoot {
  /** As pods write it. */
  readonly path: string;
  /** Where it is here, when it is somewhere else: a laptop has no `/mnt/data`. */
  readonly realPath?: string;
}

/** The real path of a `hostPath` volume, made or checked as its type says. Only what lies under an allowed root is given, links followed. */
export async function hostFolder(
  { path, type = "" }: api.HostPathVolumeSource,
  roots: readonly HostRoot[],
): Promise<string> {
  const wanted = posix.normalize(path);
  const root = roots.filter((each) => isWithin(each.path, wanted)).sort((a, b) => b.path.length - a.path.length)[0];
  if (root === undefined) throw new MountFault(refusal(path, roots));
  const base = root.realPath ?? root.path;
  if (root.realPath !== undefined) await mkdir(base, { recursive: true });
  const real = join(base, relative(root.path, wanted));
  const [leads, rootLeads] = [await whereItLeads(real).catch(() => undefined), await whereItLeads(base)];
  if (leads === undefined || !isWithin(rootLeads, leads)) throw new MountFault(refusal(path, roots));
  await makeOrCheck(real, { type, path });
  // Somebody may have put a link there meanwhile.
  const now = type === "" ? leads : await realpath(real);
  if (!isWithin(rootLeads, now)) throw new MountFault(refusal(path, roots));
  return real;
}

function refusal(path: string, roots: readonly HostRoot[]): string {
  const allowed = roots.map((root) => root.path).join(", ") || "none";
  return `hostPath ${path} is not in an allowed folder of this node (allowed: ${allowed})`;
}

type Stat = Awaited<ReturnType<typeof stat>>;

const checks: Readonly<Record<string, readonly [is: (found: Stat) => boolean, name: string]>> = {
  Directory: [(found) => found.isDirectory(), "directory"],
  DirectoryOrCreate: [(found) => found.isDirectory(), "directory"],
  File: [(found) => found.isFile(), "file"],
  FileOrCreate: [(found) => found.isFile(), "file"],
  Socket: [(found) => found.isSocket(), "socket file"],
  CharDevice: [(found) => found.isCharacterDevice(), "character device"],
  BlockDevice: [(found) => found.isBlockDevice(), "block device"],
};

async function makeOrCheck(real: string, { type, path }: { type: string; path: string }): Promise<void> {
  if (type === "") return;
  const check = getOwn(checks, type);
  if (check === undefined) throw new MountFault(`${type} is an invalid volume type`);
  if (type === "DirectoryOrCreate") await mkdir(real, { recursive: true, mode: 0o755 }).catch(() => undefined);
  if (type === "FileOrCreate") {
    await mkdir(dirname(real), { recursive: true, mode: 0o755 }).catch(() => undefined);
    await open(real, "a", 0o644).then(
      (file) => file.close(),
      () => undefined,
    );
  }
  const found = await stat(real).catch(() => undefined);
  if (found === undefined || !check[0](found)) {
    throw new MountFault(`hostPath type check failed: ${path} is not a ${check[1]}`);
  }
}
