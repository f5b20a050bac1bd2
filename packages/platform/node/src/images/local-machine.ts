import { execFile } from "node:child_process";
import { accessSync, constants, statSync } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { delimiter, isAbsolute, join } from "node:path";
import type { ImageMachine, OwnPrograms } from "./image-row.ts";

/** What rows ask of this machine: programs on a search path, weights on its disks. */
export function localMachine(searchPath: string, programs: OwnPrograms, shims: string): ImageMachine {
  return {
    which: (program) => which(program, searchPath),
    hasModule: (module) => hasModule(module, searchPath),
    findGguf,
    programs,
    shims: { folder: shims, path: `${shims}${delimiter}${searchPath}` },
  };
}

const patience = 10_000;

/** Looks for the module without loading it, which for these takes seconds. */
function hasModule(module: string, searchPath: string): Promise<boolean> {
  const python = which("python3", searchPath);
  if (python === undefined) return Promise.resolve(false);
  const input = "import importlib.util, sys; sys.exit(importlib.util.find_spec(sys.argv[1]) is None)";
  const options = { timeout: patience, env: { PATH: searchPath } };
  return new Promise((resolve) => {
    execFile(python, ["-c", input, module], options, (error) => resolve(error === null));
  });
}

export function which(program: string, searchPath: string): string | undefined {
  if (program === "") return undefined;
  if (program.includes("/")) return isAbsolute(program) && isProgram(program) ? program : undefined;
  for (const folder of searchPath.split(delimiter)) {
    const path = join(folder, program);
    if (isAbsolute(folder) && isProgram(path)) return path;
  }
  return undefined;
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** The GGUF file that a path means. In a folder it is the first by name: of a model in parts, the part to start from. */
export async function findGguf(path: string): Promise<string | undefined> {
  const found = await stat(path).catch(() => undefined);
  if (found === undefined || !found.isDirectory()) return path.endsWith(".gguf") ? path : undefined;
  const names = await readdir(path, { recursive: true }).catch(() => []);
  const files = names.filter(
    (name) => name.endsWith(".gguf") && !/(^|\/)(mmproj|\.)/.test(name) && !name.includes("/."),
  );
  const [first] = files.sort((a, b) => a.split("/").length - b.split("/").length || (a < b ? -1 : 1));
  return first === undefined ? undefined : join(path, first);
}
