import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, constants, openSync } from "node:fs";
import { chown, writeFile } from "node:fs/promises";
import { promisify } from "node:util";
import type { api } from "@trivium/kube";
import { identityOf, type ProcessIdentity } from "../processes/process-identity.ts";
import { type InputEnd, openInput } from "../streams/standard-input.ts";
import { inTerminal, missingTerminal, quote } from "../streams/terminal.ts";
import { type Command, withFullEnvironment } from "./full-environment.ts";
import { stdioWith } from "./inherited-files.ts";
import type { Launch } from "./launch.ts";
import type { RunFolder } from "./run-folder.ts";
import { logger, loggerEnv, supervisor } from "./supervisor.ts";

export interface RunStart {
  readonly folder: RunFolder;
  readonly launch: Launch;
  /** The file that `argv[0]` names. */
  readonly program: string;
  /** The file by which it joins its cgroup. */
  readonly join?: string | undefined;
  /** Whether it has a standard input and a terminal. */
  readonly container: Pick<api.Container, "stdin" | "stdinOnce" | "tty">;
  /** How large one log file gets. */
  readonly logBytes: number;
  /** What its log begins with. */
  readonly notes: readonly string[];
}

export interface StartedRun {
  readonly supervisor: ProcessIdentity;
  /** Resolves when the keeper is gone. */
  readonly ended: Promise<void>;
  readonly input?: InputEnd | undefined;
}

const execute = promisify(execFile);

/** Starts the process of a container with its keeper and its scribe. Throws when the system refuses, with its words. */
export async function startRun(start: RunStart): Promise<StartedRun> {
  const { folder, launch, join, container, logBytes, notes } = start;
  const pipes = [folder.file("out"), folder.file("life"), ...(container.stdin === true ? [folder.file("in")] : [])];
  await execute("mkfifo", pipes, { env: loggerEnv });
  const user = userOf(launch);
  if (user.uid !== undefined) await handOver(folder, user);
  if (notes.length > 0) await writeFile(folder.file("log.0.a"), notes.map((note) => `${note}\n`).join(""));
  const pipe = openPipe(folder.file("out"));
  const input = container.stdin === true ? openInput(folder.file("in"), container) : undefined;
  try {
    const scribing = spawn("/bin/sh", ["-c", logger, "scribe", String(logBytes), folder.path], {
      cwd: folder.path,
      env: loggerEnv,
      detached: true,
      stdio: stdioWith({ 0: pipe.reader }),
    });
    await spawned(scribing);
    const whole = commandOf(start);
    const { argv, env } = await withFullEnvironment(whole, folder.path);
    if (user.uid !== undefined && env !== launch.env) await chown(folder.file("env.json"), user.uid, user.gid ?? 0);
    const keeping = spawn("/bin/sh", ["-c", supervisor, "keeper", folder.path, join ?? "", ...argv], {
      cwd: launch.cwd,
      env: { ...env },
      detached: true,
      stdio: stdioWith({ ...(input === undefined ? {} : { 0: input.reader }), 8: pipe.writer }),
      ...user,
    });
    const ended = new Promise<void>((resolve) => keeping.once("exit", () => resolve()));
    await spawned(keeping);
    // The agent does not stay for its children: they stay without it.
    for (const each of [keeping, scribing]) each.unref();
    const pid = keeping.pid ?? 0;
    return { supervisor: identityOf(pid) ?? { pid, start: "" }, ended, input: input?.kept };
  } finally {
    // From here on the two alone have it: when the one is gone, the other is at its end.
    for (const fd of [pipe.reader, pipe.writer, ...(input === undefined ? [] : [input.reader])]) closeSync(fd);
  }
}

/** In a terminal where the container asks for one and the machine has it. */
function commandOf({ folder, launch, program, container }: RunStart): Command {
  const argv = [program, ...launch.argv.slice(1)];
  if (container.tty !== true || missingTerminal() !== undefined) return { argv, env: launch.env };
  return { argv: inTerminal(argv, `>${quote(folder.file("tty"))}`), env: { TERM: "xterm", ...launch.env } };
}

/** Both ends of a named pipe, without waiting for anybody. It has a name so that a process can open its own output again. */
function openPipe(path: string): { reader: number; writer: number } {
  const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    return { reader, writer: openSync(path, constants.O_WRONLY) };
  } catch (error) {
    closeSync(reader);
    throw error;
  }
}

async function spawned(child: ChildProcess): Promise<void> {
  if (child.pid === undefined) await once(child, "spawn");
  child.on("error", () => undefined);
}

interface User {
  readonly uid?: number;
  readonly gid?: number;
}

/** Only where it differs: to become what one is already takes rights, too. */
function userOf({ uid, gid }: Launch): User {
  const isOther =
    (uid !== undefined && uid !== process.getuid?.()) || (gid !== undefined && gid !== process.getgid?.());
  if (!isOther) return {};
  return { uid: uid ?? process.getuid?.() ?? 0, gid: gid ?? process.getgid?.() ?? 0 };
}

/** The keeper writes the exit code as the user that it runs as. */
async function handOver(folder: RunFolder, { uid = 0, gid = 0 }: User): Promise<void> {
  for (const path of [folder.path, folder.file("exit"), folder.file("out"), folder.file("life")])
    await chown(path, uid, gid);
}
