import { chmod, mkdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { OwnPrograms } from "./image-row.ts";

/** Variables by which a program in a script is told where to listen, whatever the script says. */
export const listenHost = "TRIVIUM_LISTEN_HOST";
export const listenPort = "TRIVIUM_LISTEN_PORT";

/**
 * Puts our own programs into a folder under the names that scripts of images call them by. A script says `llama-server --host 0.0.0.0`
 * and cannot be rewritten safely, so the last word about where to listen is added here.
 */
export async function writeShims(folder: string, { engine, weights }: OwnPrograms): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const listenFlags = `\${${listenHost}:+--host "$${listenHost}"} \${${listenPort}:+--port "$${listenPort}"}`;
  if (engine !== undefined)
    await write(join(folder, "llama-server"), `exec ${engine.map(quoted).join(" ")} "$@" ${listenFlags}`);
  if (weights !== undefined) await write(join(folder, "trivium-weights"), `exec ${weights.map(quoted).join(" ")} "$@"`);
}

/** A script that somebody runs just now keeps the file it has open. */
async function write(path: string, line: string): Promise<void> {
  await writeFile(`${path}.new`, `#!/bin/sh\n${line}\n`, { mode: 0o700 });
  await chmod(`${path}.new`, 0o700);
  await rename(`${path}.new`, path);
}

const quoted = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`;
