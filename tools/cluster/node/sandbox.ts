import { existsSync, globSync, mkdirSync, readFileSync, rmdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { startProcess } from "../processes.ts";

/**
 * The node lives in namespaces of its own: what it mounts and how it routes is seen by nothing else on the machine, and ends with its
 * first process, as does every process that it started.
 */
export async function startSandbox(folder: string): Promise<number> {
  const inside = [
    "mount --make-rshared /",
    "mount -t tmpfs tmpfs /run",
    "mkdir -p /run/lock /run/containerd",
    ...["mnt", "var/log", "var/lib"].map((place) => `mount --bind '${join(folder, "mounts", place)}' /${place}`),
    "sleep infinity & wait",
  ].join(" && ");
  for (const place of ["mnt", "var/log", "var/lib"]) mkdirSync(join(folder, "mounts", place), { recursive: true });
  const flags = [
    "--net",
    "--mount",
    "--pid",
    "--ipc",
    "--uts",
    "--fork",
    "--mount-proc",
    "--kill-child",
    "--propagation",
    "private",
  ];
  const outer = startProcess(dirname(folder), "node", "/usr/bin/unshare", [...flags, "sh", "-c", inside]);
  return firstProcessOf(outer);
}

/** The process that is number 1 inside, once it has made its mounts. */
async function firstProcessOf(outer: number): Promise<number> {
  for (const deadline = Date.now() + 20_000; Date.now() < deadline; ) {
    const [child] = readIfThere(`/proc/${outer}/task/${outer}/children`).trim().split(" ");
    const started = child === undefined || child === "" ? "" : readIfThere(`/proc/${child}/task/${child}/children`);
    if (child !== undefined && started.trim() !== "" && readIfThere(`/proc/${child}/mountinfo`).includes(" /var/lib "))
      return Number(child);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error("the namespaces of the node cannot be created; see node.log");
}

function readIfThere(path: string): string {
  return existsSync(path) ? readFileSync(path, "utf8") : "";
}

/** Every kind of cgroup of the first generation is a tree of its own; the second has one for all. */
export function createCgroups(name: string): void {
  for (const tree of cgroupTrees()) mkdirSync(join(tree, name), { recursive: true });
}

/** Folders of cgroups are removed from the leaves up; their files are not removable. */
export function removeCgroups(name: string): void {
  for (const tree of cgroupTrees()) {
    const below = globSync(`${name}/**/`, { cwd: tree }).map((path) => join(tree, path));
    for (const path of below.sort((a, b) => b.length - a.length)) if (existsSync(path)) rmdirSync(path);
    if (existsSync(join(tree, name))) rmdirSync(join(tree, name));
  }
}

function cgroupTrees(): string[] {
  const root = "/sys/fs/cgroup";
  return readFileSync("/proc/mounts", "utf8")
    .split("\n")
    .map((line) => line.split(" "))
    .filter(([, place = "", kind = ""]) => /^cgroup2?$/.test(kind) && place.startsWith(root))
    .map(([, place = ""]) => place);
}
