import { readFileSync } from "node:fs";
import { mkdir, readdir, readFile, rmdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

/** Where the groups of a node's containers lie, and what they can do. */
export interface Cgroups {
  readonly path: string;
  readonly controls: { readonly memory: boolean; readonly cpu: boolean };
}

export interface CgroupLimits {
  readonly memoryBytes?: number | undefined;
  readonly cpuMillis?: number | undefined;
}

/** A place for groups below the agent's own group (cgroup v2), or nothing where the machine does not let us have one. */
export async function findCgroups(name: string): Promise<Cgroups | undefined> {
  try {
    const mounts = readFileSync("/proc/self/mounts", "utf8").split("\n");
    const mount = mounts.map((line) => line.split(" ")).find(([, , type]) => type === "cgroup2")?.[1];
    const [, own] = /^0::(.*)$/m.exec(readFileSync("/proc/self/cgroup", "utf8")) ?? [];
    if (mount === undefined || own === undefined) return undefined;
    const parent = join(mount, own);
    const path = join(parent, name);
    const controls = { memory: await turnOn(parent, "memory"), cpu: await turnOn(parent, "cpu") };
    await mkdir(path, { recursive: true });
    await rmdir(path).catch(() => undefined);
    return { path, controls };
  } catch {
    return undefined;
  }
}

const turnOn = (path: string, control: string): Promise<boolean> =>
  writeFile(join(path, "cgroup.subtree_control"), `+${control}`).then(
    () => true,
    () => false,
  );

/** Removes the groups that nobody is in; the system does not let go of the others. */
export async function sweepCgroups({ path }: Cgroups): Promise<void> {
  for (const entry of await readdir(path, { withFileTypes: true }).catch(() => []))
    if (entry.isDirectory()) await rmdir(join(path, entry.name)).catch(() => undefined);
  await rmdir(path).catch(() => undefined);
}

/** One container's group. All that it ever started is in it, wherever it hides. */
export class Cgroup {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  static async create(groups: Cgroups, name: string, limits: CgroupLimits): Promise<Cgroup> {
    const group = new Cgroup(join(groups.path, name));
    const { memoryBytes, cpuMillis } = limits;
    const { memory, cpu } = groups.controls;
    // The place of all goes with the last group in it, and is made with the next one.
    await mkdir(groups.path, { recursive: true });
    if (memory) await turnOn(groups.path, "memory");
    if (cpu) await turnOn(groups.path, "cpu");
    await mkdir(group.path, { recursive: true });
    if (memoryBytes !== undefined && memory) {
      await group.#write("memory.max", String(memoryBytes));
      await group.#write("memory.swap.max", "0").catch(() => undefined);
    }
    if (cpuMillis !== undefined && cpu) await group.#write("cpu.max", `${cpuMillis * 100} 100000`);
    return group;
  }

  /** A process that writes `0` into this file joins. */
  get join(): string {
    return join(this.path, "cgroup.procs");
  }

  async pids(): Promise<number[]> {
    const text = await this.#read("cgroup.procs");
    return text.split("\n").filter(Boolean).map(Number);
  }

  async kill(): Promise<void> {
    await this.#write("cgroup.kill", "1").catch(async () => {
      // Kernels before 5.14 cannot do it at a stroke.
      for (const pid of await this.pids()) tryKill(pid);
    });
  }

  async cpuMicros(): Promise<number | undefined> {
    const [, micros] = /^usage_usec (\d+)$/m.exec(await this.#read("cpu.stat")) ?? [];
    return micros === undefined ? undefined : Number(micros);
  }

  /** What the kernel counts, less what it can take back. Nothing where it does not count. */
  async memoryBytes(): Promise<number | undefined> {
    const current = await this.#read("memory.current");
    if (current === "") return undefined;
    const [, inactive = "0"] = /^inactive_file (\d+)$/m.exec(await this.#read("memory.stat")) ?? [];
    return Math.max(0, Number(current) - Number(inactive));
  }

  async hasRunOutOfMemory(): Promise<boolean> {
    return /^oom_kill [1-9]/m.test(await this.#read("memory.events"));
  }

  /** The last member may still be on its way out. */
  async remove(): Promise<void> {
    for (let i = 0; i < 20; i += 1) {
      const isGone = await rmdir(this.path).then(
        () => true,
        (error: NodeJS.ErrnoException) => error.code === "ENOENT",
      );
      if (isGone) {
        await rmdir(dirname(this.path)).catch(() => undefined);
        return;
      }
      await pause(10);
    }
  }

  #read(file: string): Promise<string> {
    return readFile(join(this.path, file), "utf8").catch(() => "");
  }

  #write(file: string, text: string): Promise<void> {
    return writeFile(join(this.path, file), text);
  }
}

function tryKill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It was faster.
  }
}
