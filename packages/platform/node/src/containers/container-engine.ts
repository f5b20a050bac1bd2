import { execFile } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

/** A program of this machine that runs containers: podman, or docker, which lacks pods. */
export interface ContainerEngine {
  readonly kind: "podman" | "docker";
  readonly path: string;
  /** What it printed; throws with what it complained of. */
  run(args: readonly string[], options?: { readonly timeout?: number }): Promise<string>;
}

const defaultTimeout = 60_000;

/** The first of the two that is there and answers, or why there is none. */
export async function findContainerEngine(
  searchPath: string,
  wanted?: ContainerEngine["kind"],
): Promise<ContainerEngine | string> {
  const kinds = wanted === undefined ? (["podman", "docker"] as const) : [wanted];
  const complaints: string[] = [];
  for (const kind of kinds) {
    const path = programOn(searchPath, kind);
    if (path === undefined) {
      complaints.push(`${kind} not found in PATH`);
      continue;
    }
    const engine = engineAt(kind, path);
    try {
      await engine.run(["version"], { timeout: 10_000 });
      return engine;
    } catch (error) {
      complaints.push(`${kind} does not respond: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  return complaints.join("; ");
}

function engineAt(kind: ContainerEngine["kind"], path: string): ContainerEngine {
  return {
    kind,
    path,
    run: (args, { timeout = defaultTimeout } = {}) =>
      new Promise((resolve, reject) => {
        execFile(path, [...args], { timeout, maxBuffer: 1 << 22 }, (error, stdout, stderr) => {
          if (error === null) resolve(stdout);
          else reject(new Error(lastLine(stderr) || error.message));
        });
      }),
  };
}

const lastLine = (text: string): string => text.trim().split("\n").at(-1) ?? "";

function programOn(searchPath: string, name: string): string | undefined {
  return searchPath
    .split(delimiter)
    .filter((folder) => folder !== "")
    .map((folder) => join(folder, name))
    .find((path) => {
      try {
        accessSync(path, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}
