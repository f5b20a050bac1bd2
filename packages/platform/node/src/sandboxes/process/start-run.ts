import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { chown } from "node:fs/promises";
import { promisify } from "node:util";
import { withFullEnvironment } from "./full-environment.ts";
import { stdioWithoutLeaks } from "./inherited-files.ts";
import type { Launch } from "./launch.ts";
import { identityOf, type ProcessIdentity } from "./process-identity.ts";
import type { RunFolder } from "./run-folder.ts";
import { keeper, scribe, scribeEnv } from "./supervisor.ts";

export interface RunStart {
  readonly folder: RunFolder;
  readonly launch: Launch;
  /** The file that `argv[0]` names. */
  readonly program: string;
  /** The file by which it joins its cgroup. */
  readonly join?: string | undefined;
  /** How large one log file gets. */
  readonly logBytes: number;
}

export interface StartedRun {
  readonly keeper: ProcessIdentity;
  /** Resolves when the keeper is gone. */
  readonly ended: Promise<void>;
}

const execute = promisify(execFile);

/** Starts the process of a container with its keeper and its scribe. Throws when the system refuses, with its words. */
export async function startRun({ folder, launch, program, join, logBytes }: RunStart): Promise<StartedRun> {
  await execute("mkfifo", [folder.file("out"), folder.file("life")], { env: scribeEnv });
  const user = userOf(launch);
  if (user.uid !== undefined) await handOver(folder, user);
  const stdio = stdioWithoutLeaks();
  const writer = spawn("/bin/sh", ["-c", scribe, "scribe", String(logBytes)], {
    cwd: folder.path,
    env: scribeEnv,
    detached: true,
    stdio,
  });
  await spawned(writer);
  try {
    const whole = { argv: [program, ...launch.argv.slice(1)], env: launch.env };
    const { argv, env } = await withFullEnvironment(whole, folder.path);
    if (user.uid !== undefined && env !== launch.env) await chown(folder.file("env.json"), user.uid, user.gid ?? 0);
    const child = spawn("/bin/sh", ["-c", keeper, "keeper", folder.path, join ?? "", ...argv], {
      cwd: launch.cwd,
      env: { ...env },
      detached: true,
      stdio,
      ...user,
    });
    const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
    await spawned(child);
    // The agent does not stay for its children: they stay without it.
    for (const each of [child, writer]) each.unref();
    const pid = child.pid ?? 0;
    return { keeper: identityOf(pid) ?? { pid, start: "" }, ended };
  } catch (error) {
    if (writer.pid !== undefined) process.kill(-writer.pid, "SIGKILL");
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
