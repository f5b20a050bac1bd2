import { ownPrograms } from "@trivium/local";
import { Refusal } from "@trivium/std";

/**
 * The agent lives as long as its node and has little memory to itself, so it takes the place of this process instead of living in it: it
 * keeps the process number, and nothing of what the other commands need stays loaded.
 */
export function becomeNodeAgent(words: readonly string[]): void {
  const [program = process.execPath, ...flags] = ownPrograms().nodeAgent;
  if (process.execve === undefined)
    throw new Refusal(
      `this system cannot replace a program; run ${[program, ...flags].join(" ")} with the same options`,
    );
  process.execve(program, [program, ...flags, ...words], process.env);
}
