import { basename } from "node:path";
import { getOwn } from "@trivium/std";
import { applyListening } from "../../images/apply-listening.ts";
import type { ImageMachine, Listening } from "../../images/image-row.ts";
import { plainWords, scriptOf } from "../../images/shell-words.ts";
import type { ContainerText } from "./container-text.ts";

export interface InsideInput {
  readonly words: ContainerText;
  readonly machine: ImageMachine;
  readonly clients: Readonly<Record<string, Listening>>;
  readonly env: Readonly<Record<string, string>>;
  readonly address: string | undefined;
  readonly portFor: (port: number) => number;
}

/**
 * Makes a command for inside the container (exec probe, hook) one of this machine: variables and paths as for the container's own, and
 * a client of the server (`redis-cli ping`) is told where that listens, since it would look at localhost.
 */
export function insideCommand(input: InsideInput): (command: readonly string[]) => readonly string[] {
  const { words, machine, clients, env, address, portFor } = input;
  return (command) => {
    const given = command.map((word) => words.rewrite(words.expand(word)));
    const script = scriptOf(given);
    const plain = script === undefined ? given : plainWords(script, new Map(Object.entries(env)));
    const listening = getOwn(clients, basename(plain?.[0] ?? ""));
    const argv =
      plain === undefined || listening === undefined
        ? given
        : leadWith(plain, applyListening({ argv: plain, env, listening, address, portFor }).argv);
    const [program = "", ...args] = argv;
    return [machine.which(program) ?? machine.which(basename(program)) ?? program, ...args];
  };
}

/** Clients take their own flags before the command that they carry: what was put at the end goes to the front. */
function leadWith(before: readonly string[], addressed: readonly string[]): readonly string[] {
  const added = addressed.slice(before.length);
  return added.length === 0 ? addressed : [addressed[0] as string, ...added, ...addressed.slice(1, before.length)];
}
