import { execFile, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { until } from "@trivium/testkit";

const run = promisify(execFile);

/** Why programs that draw a whole screen cannot be tried here; false where they can. */
export const withoutScreen: string | false = spawnSync("tmux", ["-V"]).status !== 0 && "tmux is not installed";

/** A program that draws a whole screen, in a terminal of its own. */
export interface Screen {
  /** What a person sees now. */
  read(): Promise<string>;
  shows(pattern: RegExp): Promise<void>;
  /** Names of tmux (`Enter`, `Escape`, `C-c`), or a text to type. */
  press(...keys: string[]): Promise<void>;
  close(): Promise<void>;
}

export async function openScreen(command: readonly string[], env: Readonly<Record<string, string>>): Promise<Screen> {
  const folder = mkdtempSync(join(tmpdir(), "trivium-screen-"));
  const tmux = async (...words: string[]): Promise<string> => {
    const { stdout } = await run("tmux", ["-S", join(folder, "socket"), "-f", "/dev/null", ...words]);
    return stdout;
  };
  const variables = Object.entries({ TERM: "xterm-256color", ...env }).map(([name, value]) => `${name}=${value}`);
  const words = ["env", ...variables, ...command].map((word) => `'${word}'`).join(" ");
  await tmux("new-session", "-d", "-x", "160", "-y", "40", words);
  const read = (): Promise<string> => tmux("capture-pane", "-p");
  return {
    read,
    shows: (pattern) =>
      until(async () => pattern.test(await read()), `${pattern}`).catch(async (error: unknown) => {
        throw new Error(`${(error as Error).message}\n${await read().catch(() => "the program has ended")}`);
      }),
    press: async (...keys) => void (await tmux("send-keys", ...keys)),
    close: async () => {
      await tmux("kill-server").catch(() => undefined);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
