import { type ChildProcess, spawn } from "node:child_process";
import { constants } from "node:os";
import type { Readable } from "node:stream";
import type { CommandResult, CommandStreams } from "@trivium/apiserver";
import type { Millis } from "@trivium/std";
import { endFamily } from "../processes/end-family.ts";
import { identityOf } from "../processes/process-identity.ts";
import { findProgram } from "../run/find-program.ts";
import { stdioWith } from "../run/inherited-files.ts";
import type { Launch } from "../run/launch.ts";
import { joiner } from "../run/run-inside.ts";
import { inTerminal, missingTerminal, resizeTerminal } from "./terminal.ts";

export interface StreamedCommand {
  readonly command: readonly string[];
  readonly launch: Launch;
  /** The file by which it joins the cgroup of the container. */
  readonly join?: string | undefined;
  readonly tty: boolean;
  /** Resolves when the container is gone, and what runs beside it must go too. */
  readonly gone: Promise<void>;
}

/** How long output is waited for that a process left behind holds open. */
const quietTime: Millis = 300;

/** Runs a command beside a container's process with the streams of a client, and ends all of it when the client goes. */
export async function runCommand(asked: StreamedCommand, streams: CommandStreams): Promise<CommandResult> {
  const { command, launch, tty } = asked;
  const found = await findProgram(command[0] ?? "", launch.cwd, launch.env.PATH ?? "");
  if (found.is === "missing") return { is: "failed", message: `unable to start container process: ${found.message}` };
  const missing = tty ? missingTerminal() : undefined;
  if (missing !== undefined) return { is: "failed", message: missing };
  if (streams.gone.aborted) return { is: "failed", message: "the client is gone" };
  const argv = [found.path, ...command.slice(1)];
  const child = start(asked, tty ? inTerminal(argv, ">&3; exec 3>&-") : argv, streams);
  const { pid = 0 } = child;
  const supervisor = identityOf(pid) ?? { pid, start: "" };
  const kill = (): void => void endFamily({ supervisor }).catch(() => undefined);
  streams.gone.addEventListener("abort", kill, { once: true });
  void asked.gone.then(() => (child.exitCode === null ? kill() : undefined));
  try {
    connect(child, streams);
    if (tty) followSize(child, streams);
    return await endOf(child);
  } finally {
    streams.gone.removeEventListener("abort", kill);
  }
}

function start({ launch, join, tty }: StreamedCommand, argv: readonly string[], streams: CommandStreams): ChildProcess {
  const { uid = process.getuid?.(), gid = process.getgid?.() } = launch;
  const isOther = uid !== process.getuid?.() || gid !== process.getgid?.();
  return spawn("/bin/sh", ["-c", joiner, "inside", join ?? "", ...argv], {
    cwd: launch.cwd,
    env: tty ? { TERM: "xterm", ...launch.env } : { ...launch.env },
    detached: true,
    stdio: stdioWith({
      ...(streams.stdin === undefined ? {} : { 0: "pipe" as const }),
      1: "pipe",
      2: "pipe",
      ...(tty ? { 3: "pipe" as const } : {}),
    }),
    ...(isOther ? { uid, gid } : {}),
  });
}

function connect({ stdin, stdout, stderr }: ChildProcess, streams: CommandStreams): void {
  // A process that no longer reads is its own business.
  stdin?.on("error", () => undefined);
  if (stdin !== null) streams.stdin?.pipe(stdin);
  for (const [from, to] of [
    [stdout, streams.stdout],
    [stderr, streams.stderr ?? streams.stdout],
  ] as const) {
    if (to === undefined) from?.resume();
    else from?.pipe(to, { end: false });
  }
}

function followSize({ stdio }: ChildProcess, { onResize }: CommandStreams): void {
  let path = "";
  const note = stdio[3] as Readable | null;
  note?.on("data", (piece: Buffer) => {
    path += piece.toString("utf8");
    if (path.endsWith("\n")) onResize((size) => resizeTerminal(path.trim(), size));
  });
}

function endOf(child: ChildProcess): Promise<CommandResult> {
  return new Promise((resolve) => {
    child.once("error", (error) => resolve({ is: "failed", message: error.message }));
    child.once("exit", (code, signal) => {
      const result = { is: "exited", code: code ?? 128 + (signal === null ? 0 : constants.signals[signal]) } as const;
      child.once("close", () => resolve(result));
      onceQuiet(child, () => resolve(result));
    });
  });
}

/** Calls when nothing came for a while and the client has taken all that came. */
function onceQuiet({ stdout, stderr }: ChildProcess, then: () => void): void {
  const outputs = [stdout, stderr].filter((one) => one !== null);
  let isQuiet = false;
  for (const output of outputs)
    output.on("data", () => {
      isQuiet = false;
    });
  const timer = setInterval(() => {
    if (!isQuiet || outputs.some((one) => one.isPaused())) {
      isQuiet = true;
      return;
    }
    clearInterval(timer);
    for (const output of outputs) output.destroy();
    then();
  }, quietTime);
  timer.unref();
  outputs[0]?.once("close", () => clearInterval(timer));
}
