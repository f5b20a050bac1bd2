import { execFileSync } from "node:child_process";
import { readdirSync, realpathSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, dirname, join } from "node:path";

export interface FoundKubectl {
  /** Major and minor: `1.31`. */
  readonly version: string;
  readonly path: string;
}

/** Every kubectl that this machine has, one for each minor version, the newest first: on PATH, beside it (`kubectl.1.29`), in our cache. */
export function findKubectls(): FoundKubectl[] {
  const cache = join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "trivium");
  const onPath = (process.env.PATH ?? "").split(delimiter).filter((folder) => folder !== "");
  const built = [cache, ...namesIn(join(cache, "cluster")).map((name) => join(cache, "cluster", name))];
  const found = new Map<string, string>();
  for (const folder of [...built, ...onPath]) {
    for (const name of namesIn(folder).filter((one) => /^kubectl(-v[\d.]+)?$/.test(one))) {
      const path = join(folder, name);
      const beside = dirname(realpathSync(path));
      const older = namesIn(beside).filter((one) => /^kubectl\.1\.\d+$/.test(one));
      for (const each of [path, ...older.map((one) => join(beside, one))]) {
        const version = versionOf(each);
        if (version !== undefined && !found.has(version)) found.set(version, each);
      }
    }
  }
  const minor = (version: string): number => Number(version.split(".")[1]);
  return [...found].map(([version, path]) => ({ version, path })).sort((a, b) => minor(b.version) - minor(a.version));
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function versionOf(path: string): string | undefined {
  try {
    const text = execFileSync(path, ["version", "--client", "-o", "json"], { stdio: ["ignore", "pipe", "ignore"] });
    const [, version] = /"gitVersion": "v(1\.\d+)/.exec(text.toString()) ?? [];
    return version;
  } catch {
    return undefined;
  }
}
