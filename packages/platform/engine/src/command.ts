import { accessSync, constants, statSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";

export interface EngineCommand {
  readonly kind: "llama-server" | "binding";
  /** Program and first arguments; llama-server's flags follow. */
  readonly command: readonly string[];
  readonly why: string;
}

export interface EngineChoice {
  /** A llama-server that the user named. */
  readonly named?: string;
  readonly environment: Readonly<NodeJS.ProcessEnv>;
  /** How our own program is started; a bundle passes its own file. */
  readonly own?: readonly string[];
}

/** Which model server runs here: the one that was named, a `llama-server` on PATH, or ours. */
export function engineCommand({ named, environment, own = ownCommand() }: EngineChoice): EngineCommand {
  const wanted = named ?? environment.LLAMA_SERVER;
  if (wanted !== undefined && wanted !== "") {
    const found = findProgram(wanted, environment.PATH);
    if (found === undefined) throw new Error(`llama-server ${wanted} not found; check its path`);
    return { kind: "llama-server", command: [found], why: `configured: ${wanted}` };
  }
  const found = findProgram("llama-server", environment.PATH);
  if (found !== undefined) return { kind: "llama-server", command: [found], why: `found in PATH: ${found}` };
  return { kind: "binding", command: own, why: "no llama-server in PATH" };
}

export function ownCommand(): readonly string[] {
  return [process.execPath, fileURLToPath(new URL("./main.ts", import.meta.url))];
}

function findProgram(name: string, path: string | undefined): string | undefined {
  if (name.includes("/")) return isProgram(name) ? name : undefined;
  return (path ?? "")
    .split(delimiter)
    .filter((folder) => folder !== "")
    .map((folder) => join(folder, name))
    .find(isProgram);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
