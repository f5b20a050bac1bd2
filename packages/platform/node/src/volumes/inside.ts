import { lstat, realpath } from "node:fs/promises";
import { dirname, isAbsolute, join, normalize, relative, sep } from "node:path";

/** Whether a path is a folder or lies in it. Both are absolute; `/a2` is not in `/a`. */
export function isWithin(folder: string, path: string): boolean {
  const way = relative(normalize(folder), normalize(path));
  return way === "" || (way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}

/** Where a path really leads, as far as it exists; what does not exist yet is taken as it is written. A link to nowhere leads nowhere. */
export async function whereItLeads(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    const isDangling = await lstat(path).then(
      () => true,
      () => false,
    );
    if (isDangling) throw error;
    const parent = dirname(path);
    return parent === path ? path : join(await whereItLeads(parent), path.slice(parent.length).replace(/^[/\\]+/, ""));
  }
}
