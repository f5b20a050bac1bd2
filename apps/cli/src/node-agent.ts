import { ownPrograms } from "@trivium/local";
import { Refusal } from "@trivium/std";

/** Memory that threads have freed goes back to the system instead of waiting in an arena of each of them. */
const thriftily = { MALLOC_ARENA_MAX: "1", MALLOC_TRIM_THRESHOLD_: "65536" };

/**
 * The agent lives as long as its node and has little memory to itself, so it takes the place of this process instead of living in it: it
 * keeps the process number, and nothing of what the other commands need stays loaded.
 */
export function becomeNodeAgent(words: readonly string[]): void {
  const [program = process.execPath, ...flags] = ownPrograms().nodeAgent;
  if (process.execve === undefined)
    throw new Refusal(
      `this system cannot replace the running process; run ${[program, ...flags].join(" ")} with the same options`,
    );
  process.execve(program, [program, ...flags, ...words], { ...thriftily, ...process.env });
}
