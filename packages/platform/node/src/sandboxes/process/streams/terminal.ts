import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import type { TerminalSize } from "@trivium/apiserver";

/** Node cannot open a pseudo-terminal; `script` of util-linux can, and Debian and its like always have it. */
const program = "/usr/bin/script";

/** Why commands run here without a terminal although one is requested; undefined where they get one. */
export function missingTerminal(): string | undefined {
  if (process.platform === "linux" && existsSync(program)) return undefined;
  return `a terminal needs ${program} of util-linux, which this machine does not have; leave out -t`;
}

/**
 * The command line that runs a command in a terminal of its own. Where the terminal is, it writes by `note`, a redirection of the shell.
 * Without a terminal of its own, `script` turns the echo off.
 */
export function inTerminal(argv: readonly string[], note: string): string[] {
  const words = argv.map(quote).join(" ");
  return [program, "-q", "-e", "-f", "-c", `stty echo rows 24 cols 80; tty ${note}; exec ${words}`, "/dev/null"];
}

export const quote = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;

/** The kernel tells the programs in the terminal of its new size. */
export function resizeTerminal(path: string, { width, height }: TerminalSize): void {
  if (!/^\/dev\/pts\/[0-9]+$/.test(path)) return;
  // It may be gone already, and so is its size.
  execFile("stty", ["-F", path, "rows", String(height), "cols", String(width)], () => undefined);
}
