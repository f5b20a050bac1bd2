import { spawn } from "node:child_process";
import type { Millis } from "@trivium/std";
import type { CommandEnd } from "../../../health/check-target.ts";
import { findProgram } from "./find-program.ts";
import { stdioWith } from "./inherited-files.ts";
import type { Launch } from "./launch.ts";

export interface CommandRequest {
  readonly command: readonly string[];
  readonly launch: Launch;
  readonly join?: string | undefined;
  /** Left out: as long as it takes. */
  readonly timeout?: Millis | undefined;
  readonly signal?: AbortSignal | undefined;
}

const maxOutput = 10 * 1024;
const patience: Millis = 100;
/** Joins a cgroup, if one is named, and becomes the command. */
export const joiner = `if [ -n "$1" ]; then { echo 0 >"$1"; } 2>/dev/null; fi; shift; unset PWD OLDPWD SHLVL; exec "$@"`;

/** Runs a command beside a container's process: same environment, folder and user. Ends it, and all it started, when the time is over. */
export async function runInside({ command, launch, join, timeout, signal }: CommandRequest): Promise<CommandEnd> {
  const found = await findProgram(command[0] ?? "", launch.cwd, launch.env.PATH ?? "");
  if (found.is === "missing") return { is: "failed", message: found.message };
  const { uid = process.getuid?.(), gid = process.getgid?.() } = launch;
  const isOther = uid !== process.getuid?.() || gid !== process.getgid?.();
  return await new Promise((resolve) => {
    const child = spawn("/bin/sh", ["-c", joiner, "inside", join ?? "", found.path, ...command.slice(1)], {
      cwd: launch.cwd,
      env: { ...launch.env },
      detached: true,
      stdio: stdioWith({ 1: "pipe", 2: "pipe" }),
      ...(isOther ? { uid, gid } : {}),
    });
    let output = "";
    let isLate = false;
    const kill = (): void => {
      try {
        process.kill(-(child.pid ?? Number.NaN), "SIGKILL");
      } catch {
        // It was faster.
      }
    };
    const timer =
      timeout === undefined
        ? undefined
        : setTimeout(() => {
            isLate = true;
            kill();
          }, timeout);
    signal?.addEventListener("abort", kill, { once: true });
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on("data", (piece: Buffer) => {
        if (output.length < maxOutput) output += piece.toString("utf8").slice(0, maxOutput - output.length);
      });
    }
    const finish = (end: CommandEnd): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", kill);
      // Children that it left may hold its output open for ever.
      for (const stream of [child.stdout, child.stderr]) stream?.destroy();
      resolve(end);
    };
    child.once("error", (error) => finish({ is: "failed", message: error.message }));
    child.once("exit", (code) => {
      const end = (): void => finish(isLate ? { is: "timed out" } : { is: "exited", code: code ?? 137, output });
      // What it printed last is on its way; what it left behind is not waited for.
      child.once("close", end);
      // A loop that was held up calls its timers before it reads, so it gets the chance to read once more.
      setTimeout(() => setImmediate(end), patience);
    });
  });
}
