import { Refusal } from "@trivium/std";
import { createProgram } from "./program.ts";

// Whoever reads our output may stop in the middle, as `head` does; that is no fault.
process.stdout.on("error", (error: NodeJS.ErrnoException) => process.exit(error.code === "EPIPE" ? 0 : 1));

try {
  await createProgram().parseAsync(process.argv);
} catch (error) {
  if (!isForPerson(error)) throw error;
  console.error(`error: ${error.message}`);
  process.exitCode = 1;
}

/** What a person can put right: our own refusals, and what the system refuses (a full disk, a missing permission). */
function isForPerson(error: unknown): error is Error {
  return error instanceof Refusal || (error instanceof Error && "syscall" in error);
}
