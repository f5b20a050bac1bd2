import { readlinkSync, realpathSync } from "node:fs";
import { dirname, resolve, sep } from "node:path";
import { WeightsError } from "../fault.ts";
import { Layout } from "./layout.ts";

/** Whether a real path is a folder or lies in it. */
export const isInside = (top: string, path: string): boolean => path === top || path.startsWith(top + sep);

/** Whether all of a store lies in a folder. Pods can write into volumes: a link there could lead to any folder of the machine. */
export function isStoreInside(root: string, folder: string): boolean {
  const top = realPathOf(folder);
  const { blobs, models, leases, partials, references, refusals } = new Layout(root);
  const places = [root, blobs, models, leases, partials, references, refusals];
  if (top === undefined) return places.every((each) => realPathOf(each) === undefined);
  return places.every((each) => isInside(top, whereItLeads(each)));
}

/** Before anything is deleted: a folder of the store that leads elsewhere would have the files of that place deleted. */
export function confirmInside({ root }: Layout): void {
  if (isStoreInside(root, root)) return;
  const message = `${root}: a folder of this store is a link to another place, so nothing is deleted; move the whole store instead`;
  throw new WeightsError("refused", "UnsafePath", message);
}

function realPathOf(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}

/** Where a path leads that need not exist: below the nearest folder that does. A link to a disk that is not mounted leads to that disk. */
function whereItLeads(path: string): string {
  const real = realPathOf(path);
  if (real !== undefined) return real;
  const target = targetOf(path);
  if (target !== undefined) return resolve(dirname(path), target);
  const above = dirname(path);
  return above === path ? path : whereItLeads(above);
}

function targetOf(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}
