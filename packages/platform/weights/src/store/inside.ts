import { realpathSync } from "node:fs";
import { sep } from "node:path";
import { WeightsError } from "../fault.ts";
import { Layout } from "./layout.ts";

/** Whether a real path is a folder or lies in it. */
export const isInside = (top: string, path: string): boolean => path === top || path.startsWith(top + sep);

/** Whether all of a store lies in a folder. Pods can write into volumes: a link there could lead to any folder of the machine. */
export function isStoreInside(root: string, folder: string): boolean {
  const top = whereItLeads(folder);
  const { blobs, models, leases, partials, references, refusals } = new Layout(root);
  return [root, blobs, models, leases, partials, references, refusals].every((each) => {
    const real = whereItLeads(each);
    return real === undefined || (top !== undefined && isInside(top, real));
  });
}

/** Before anything is deleted: a folder of the store that leads elsewhere would have the files of that place deleted. */
export function confirmInside({ root }: Layout): void {
  if (isStoreInside(root, root)) return;
  const message = `${root}: a folder of this store is a link to another place, so nothing is deleted; move the whole store instead`;
  throw new WeightsError("refused", "UnsafePath", message);
}

function whereItLeads(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}
