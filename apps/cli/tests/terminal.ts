import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ownProgram, until } from "@trivium/testkit";

const program = ownProgram("trivium", new URL("../src/main.ts", import.meta.url));

/** Why there is no terminal on this machine; false where there is one. */
export const withoutTerminal: string | false =
  spawnSync("script", ["--version"]).status !== 0 && "script of util-linux is not installed";

/** `trivium` in a pseudo-terminal, as a person has it. */
export interface Terminal {
  /** Everything that was printed, with `<ESC>` where a control sequence starts. */
  output(): string;
  type(text: string): void;
  /** Resolves when the output since the last call of `clear` matches. */
  shows(pattern: RegExp): Promise<void>;
  /** What was printed so far no longer counts. */
  clear(): void;
  /** Changes the size of the window, of which the kernel informs the program. */
  resize(columns: number): void;
  readonly ended: Promise<number | string>;
  close(): void;
}

export const ctrlC = "\x03";
export const ctrlD = "\x04";

export interface TerminalOptions {
  readonly env: Readonly<Record<string, string>>;
  readonly columns: number;
}

export function openTerminal(words: readonly string[], { env, columns }: TerminalOptions): Terminal {
  const folder = mkdtempSync(join(tmpdir(), "trivium-terminal-"));
  const device = join(folder, "device");
  const command = [...program, ...words].map((word) => `'${word}'`).join(" ");
  const session = `tty > '${device}.new'; stty cols ${columns} rows 24; mv '${device}.new' '${device}'; exec ${command}`;
  const { NO_COLOR: _, ...inherited } = process.env;
  const child = spawn("script", ["-qec", session, "/dev/null"], {
    env: { ...inherited, TERM: "xterm", ...env },
    stdio: ["pipe", "pipe", "inherit"],
  });
  let [output, from] = ["", 0];
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text.replaceAll("\x1b", "<ESC>");
  });
  const ended = new Promise<number | string>((resolve) => {
    child.on("close", (code, signal) => {
      rmSync(folder, { recursive: true, force: true });
      resolve(code ?? signal ?? "unknown");
    });
  });
  // What is typed into a program that has ended is lost.
  child.stdin.on("error", () => undefined);
  return {
    output: () => output,
    type: (text) => child.stdin.write(text),
    shows: (pattern) =>
      until(() => pattern.test(output.slice(from)), `${pattern}`).catch((error: unknown) => {
        throw new Error(`${(error as Error).message}\n${JSON.stringify(output)}`);
      }),
    clear: () => {
      from = output.length;
    },
    resize: (wide) => {
      if (!existsSync(device)) throw new Error("the program has not started yet");
      spawnSync("stty", ["-F", readFileSync(device, "utf8").trim(), "cols", String(wide)]);
    },
    ended,
    close: () => child.kill(),
  };
}

/** The lines of a terminal that only ever go back to the start of a line and clear it. */
export const drawnLines = (output: string): string[] =>
  output.split(/\r?\n|\r(?:<ESC>\[\d+A)?<ESC>\[[KJ]/).map((line) => line.replaceAll(/<ESC>\[[\d;]*m/g, ""));

/** Whether a text would do something to a terminal. */
export const hasControls = (text: string): boolean => text.includes("\x1b") || text.includes("\r");
