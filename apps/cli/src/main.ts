import { enableCompileCache } from "node:module";
import { homedir } from "node:os";
import { join } from "node:path";
import { printable } from "./print.ts";

// A reader can stop in the middle, as `head` does; that is no failure.
for (const stream of [process.stdout, process.stderr])
  stream.on("error", (error: NodeJS.ErrnoException) => process.exit(error.code === "EPIPE" ? 0 : 1));

// In a folder of this user alone: compiled code that another user could write is code that another user could run.
enableCompileCache(join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "trivium", "compiled"));

try {
  const { createProgram } = await import("./program.ts");
  await createProgram().parseAsync(process.argv);
} catch (error) {
  if (!isForPerson(error)) throw error;
  console.error(`error: ${printable(error.message)}`);
  process.exitCode = 1;
}

/**
 * What a person can put right: our own refusals, by their name, since the code of a command is loaded apart from this; and what the system
 * refuses (a full disk, a missing permission).
 */
function isForPerson(error: unknown): error is Error {
  return error instanceof Error && (error.name === "Refusal" || "syscall" in error);
}
