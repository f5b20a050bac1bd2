import { readFile, statfs } from "node:fs/promises";
import { freemem } from "node:os";
import type { NodePressure } from "../presence/node-object.ts";

export interface PressureOptions {
  /** The folder whose disk counts. */
  readonly root: string;
  /** Less than this many bytes is pressure. */
  readonly memory?: number;
  readonly disk?: number;
}

const mebi = 1024 ** 2;
/** A share of the disk, as kubelets take it, would call most laptops full. */
const usual = { memory: 100 * mebi, disk: 1024 * mebi };
const pidsShare = 0.95;

/** Asks the machine what it runs short of. */
export function pressureOf({ root, ...limits }: PressureOptions): () => Promise<NodePressure> {
  const { memory, disk } = { ...usual, ...limits };
  return async () => {
    const { bavail, bsize } = await statfs(root);
    return { memory: isShortOfMemory(memory), disk: bavail * bsize < disk, pids: await isShortOfPids() };
  };
}

/** macOS keeps hardly anything free and gives it back when asked, so free memory says nothing there. */
const isShortOfMemory = (limit: number): boolean => process.platform === "linux" && freemem() < limit;

async function isShortOfPids(): Promise<boolean> {
  const [load, most] = await Promise.all(
    ["/proc/loadavg", "/proc/sys/kernel/pid_max"].map((path) => readFile(path, "utf8").catch(() => "")),
  );
  const running = Number(/\/(\d+) /.exec(load ?? "")?.[1]);
  return Number.isFinite(running) && Number(most) > 0 && running > Number(most) * pidsShare;
}
