import { basename } from "node:path";
import type { ImageCall } from "./image-row.ts";
import { plainWords, scriptOf } from "./shell-words.ts";

/** What a container asks of a program it knows by one of these names. */
export type ProgramCall =
  /** It runs the program, with these arguments. */
  | { readonly is: "program"; readonly args: readonly string[] }
  /** It runs something else: a script, another program. */
  | { readonly is: "other"; readonly argv: readonly string[] };

/**
 * Finds the program in what the spec says. Ways to start it are lists of words (`vllm serve`); the first word is compared without its
 * folder, so `/app/llama-server` is `llama-server`. Without a command, the image's entry point is the program.
 */
export function readProgramCall({ command, args, env }: ImageCall, ways: readonly (readonly string[])[]): ProgramCall {
  const given = [...command, ...args];
  if (given.length === 0) return { is: "program", args: [] };
  const script = scriptOf(given);
  const words = script === undefined ? given : plainWords(script, env);
  for (const way of words === undefined ? [] : ways) {
    const isMeant = way.every((word, at) => word === (at === 0 ? basename(words?.[0] ?? "") : words?.[at]));
    if (isMeant) return { is: "program", args: (words ?? []).slice(way.length) };
  }
  return command.length === 0 && script === undefined ? { is: "program", args } : { is: "other", argv: given };
}
