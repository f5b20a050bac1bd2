import { chmod, rm, writeFile } from "node:fs/promises";
import { sha256Hex } from "@trivium/std";
import type { ContainerRun } from "../../../sandbox.ts";
import type { ProcessWorld } from "../process-world.ts";
import { Cgroup } from "../processes/cgroups.ts";
import { findProgram } from "./find-program.ts";
import type { Launch } from "./launch.ts";
import { pruneRuns, type RunFacts, type RunFolder } from "./run-folder.ts";
import { type StartedRun, startRun } from "./start-run.ts";

export type RunBegun =
  | ({ readonly is: "running"; readonly facts: RunFacts } & StartedRun)
  /** The machine does not let it begin: a program that is not there, more arguments than a process can have. */
  | { readonly is: "broken"; readonly message: string };

export interface RunBeginning {
  readonly world: ProcessWorld;
  readonly run: ContainerRun;
  readonly folder: RunFolder;
  readonly launch: Launch;
  readonly notes?: readonly string[] | undefined;
}

/** From everything that is needed to a process that runs. */
export async function beginRun({ world, run, folder, launch, notes = [] }: RunBeginning): Promise<RunBegun> {
  const program = await findProgram(launch.argv[0] ?? "", launch.cwd, launch.env.PATH ?? "");
  if (program.is === "missing") return { is: "broken", message: program.message };
  const group = await groupOf(world, run, launch);
  const facts = factsOf(world, run, { launch, cgroup: group?.path });
  try {
    // There and empty: a container engine can only show a file that exists. Whoever the container runs as may write to it.
    if (launch.terminationMessagePath !== undefined) await emptyFile(launch.terminationMessagePath);
    await folder.create(facts);
    void pruneRuns(folder, run.attempt).catch((error: unknown) =>
      world.onError("cannot remove files of old containers", error),
    );
    const started = await startRun({
      folder,
      launch,
      program: program.path,
      join: group?.join,
      container: run.container,
      logBytes: world.logBytes,
      notes,
    });
    return { is: "running", facts, ...started };
  } catch (error) {
    await group?.remove();
    return { is: "broken", message: wordsOf(error) };
  }
}

/** What is kept from the message of the system: it may name the whole command, and that is no news. */
function wordsOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === "E2BIG") return "argument list too long: the command and its environment exceed the limit of a process";
  if (code === "ENOENT") return "the working directory does not exist";
  if (code === "ENOSPC") return "no space left on device";
  return message;
}

async function groupOf(
  { cgroups, root }: ProcessWorld,
  run: ContainerRun,
  { limits }: Launch,
): Promise<Cgroup | undefined> {
  if (cgroups === undefined) return undefined;
  const { memoryBytes, cpuMillis } = limits;
  const name = sha256Hex(`${root} ${run.id}`).slice(0, 24);
  return await Cgroup.create(cgroups, name, {
    memoryBytes: memoryBytes === undefined ? undefined : Number(memoryBytes),
    cpuMillis,
  }).catch(() => undefined);
}

function factsOf(
  { clock, boot }: ProcessWorld,
  { pod, container, id, attempt }: ContainerRun,
  { launch, cgroup }: { launch: Launch; cgroup: string | undefined },
): RunFacts {
  const { uid: podUid = "", namespace = "", name = "" } = pod.metadata;
  const { memoryBytes } = launch.limits;
  return {
    id,
    podUid,
    namespace,
    pod: name,
    container: container.name,
    attempt,
    boot,
    startedAt: clock.now(),
    imageId: launch.imageId ?? imageIdOf(container.image ?? ""),
    cgroup,
    memoryLimit: memoryBytes === undefined ? undefined : Number(memoryBytes),
    terminationMessagePath: launch.terminationMessagePath,
  };
}

const imageIdOf = (image: string): string => `${image.split("@", 1)[0]}@sha256:${sha256Hex(image)}`;

async function emptyFile(path: string): Promise<void> {
  await rm(path, { force: true });
  await writeFile(path, "");
  await chmod(path, 0o666);
}
