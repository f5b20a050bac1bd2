import { existsSync, mkdirSync } from "node:fs";
import { enableCompileCache } from "node:module";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { printable } from "./print.ts";

// A reader can stop in the middle, as `head` does; that is no failure.
for (const stream of [process.stdout, process.stderr])
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") process.exit(0);
    if (stream === process.stdout) console.error(`error: cannot write the output: ${describe(error)}`);
    process.exit(1);
  });

const compiled = makeCompileCache(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"));
if (compiled !== undefined) enableCompileCache(compiled);

try {
  const { createProgram } = await import("./program.ts");
  await createProgram().parseAsync(process.argv);
} catch (error) {
  if (!isForPerson(error)) throw error;
  console.error(`error: ${printable(describe(error))}`);
  process.exitCode = 1;
}

/**
 * In a folder of this user alone: compiled code that another user could write is code that another user could run. Nothing where it cannot
 * be created, which Node itself would try forever in places such as /proc.
 */
function makeCompileCache(root: string): string | undefined {
  const folder = join(root, "trivium", "compiled");
  try {
    for (const path of [root, dirname(folder), folder]) if (!existsSync(path)) mkdirSync(path, { mode: 0o700 });
    return folder;
  } catch {
    return undefined;
  }
}

/** What the system refuses, with what to do. */
function describe(error: NodeJS.ErrnoException): string {
  const { code, syscall, path, message } = error;
  if (code === "ENOSPC") return `${message}; free some space on the disk`;
  if (syscall === "uv_cwd") return "the current folder no longer exists; change to another one";
  if (path === undefined) return message;
  if (code === "EACCES" || code === "EPERM") return `${path}: permission denied; check its owner and mode`;
  if (code === "ENOENT") return `${path}: no such file or folder; check the path`;
  return code === "EISDIR" ? `${path} is a folder; name a file in it` : message;
}

/**
 * What a person can put right: our own refusals, by their name, since the code of a command is loaded apart from this; and what the system
 * refuses (a full disk, a missing permission).
 */
function isForPerson(error: unknown): error is Error {
  return error instanceof Error && (error.name === "Refusal" || "syscall" in error);
}
