import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import type { ExecRequest, RunCommand } from "@trivium/apiserver";
import type { Pod } from "@trivium/kube";
import { type Clock, systemClock } from "@trivium/runtime";
import { type Millis, shortHash } from "@trivium/std";
import type { ContainerUsage, PodSetup, Sandbox } from "../../sandbox.ts";
import { ProcessContainer } from "./process-container.ts";
import { containersFolder, fileLogOf, type ProcessWorld, runFolderOf } from "./process-world.ts";
import { findCgroups } from "./processes/cgroups.ts";
import { MemoryWatch } from "./processes/memory-watch.ts";
import { bootId } from "./processes/process-identity.ts";
import { usageOf } from "./processes/usage.ts";
import { clearRuns, restRuns, retainRuns } from "./run/clear-runs.ts";
import type { SandboxSetup, Setup } from "./run/launch.ts";
import { StartGate } from "./run/start-gate.ts";

export interface ProcessSandboxOptions {
  /** The folder of the node: what runs is written down here, and logs are kept here. One agent at a time. */
  readonly root: string;
  readonly setups: SandboxSetup;
  readonly clock?: Clock;
  readonly logs?: { readonly bytes: number; readonly files: number };
  /** Left out, cgroups are used as far as the machine lets us. */
  readonly cgroups?: "none";
  readonly onError?: (what: string, error: unknown) => void;
}

/** As a kubelet has them. */
const defaultLogs = { bytes: 10 * 1024 * 1024, files: 5 };

/** Runs containers as processes of this machine. They outlive the agent; the folder says which of them are whose. */
export async function processSandbox(options: ProcessSandboxOptions): Promise<Sandbox> {
  const { root, setups, clock = systemClock, logs = defaultLogs, onError = () => undefined } = options;
  await mkdir(containersFolder(root), { recursive: true, mode: 0o711 });
  const world: ProcessWorld = {
    clock,
    root,
    setups,
    boot: bootId(),
    cgroups: options.cgroups === "none" ? undefined : await findCgroups(`trivium-${shortHash(root, 12)}`),
    memory: new MemoryWatch(clock),
    starts: new StartGate(),
    logBytes: logs.bytes,
    logFiles: logs.files,
    onError,
  };
  return new ProcessSandbox(world);
}

class ProcessSandbox implements Sandbox {
  readonly scheme = "process";
  readonly #world: ProcessWorld;
  /** The containers of each pod that are not gone yet. */
  readonly #containers = new Map<string, Set<ProcessContainer>>();

  constructor(world: ProcessWorld) {
    this.#world = world;
  }

  async open(pod: Pod): Promise<PodSetup> {
    const setup = await this.#world.setups.open(pod);
    const uid = pod.metadata.uid ?? "";
    return {
      address: setup.address,
      start: (run, tell) => this.#keep(uid, new ProcessContainer(this.#world, setup, run, tell)),
      close: () => void this.#close(uid, setup),
    };
  }

  async retain(pods: readonly Pod[]): Promise<void> {
    const isOver = ({ status }: Pod): boolean => status?.phase === "Succeeded" || status?.phase === "Failed";
    const uidsOf = (some: readonly Pod[]): Set<string> => new Set(some.map(({ metadata }) => metadata.uid ?? ""));
    const going = uidsOf(pods.filter((pod) => !isOver(pod)));
    await retainRuns(this.#world, { kept: uidsOf(pods), going });
    await this.#world.setups.retain(going);
  }

  async rest(grace: Millis): Promise<void> {
    await this.#world.starts.close();
    await restRuns(this.#world, grace);
    await this.#world.setups.rest?.();
  }

  hasBegun(pod: Pod, container: string, id: string): boolean {
    return existsSync(
      runFolderOf(this.#world.root, { podUid: pod.metadata.uid ?? "", container, id }).file("run.json"),
    );
  }

  forget(pod: Pod): void {
    const uid = pod.metadata.uid ?? "";
    void this.#whenGone(uid)
      .then(() => clearRuns(this.#world, uid))
      .catch((error: unknown) => this.#world.onError(`cannot remove the files of pod ${uid}`, error));
  }

  logOf(pod: Pod, container: string, id: string): ReturnType<NonNullable<Sandbox["logOf"]>> {
    const uid = pod.metadata.uid ?? "";
    for (const { log } of this.#containers.get(uid) ?? []) if (log.id === id) return log;
    const folder = runFolderOf(this.#world.root, { podUid: uid, container, id });
    return fileLogOf(this.#world, folder, { id, state: "over" });
  }

  exec(pod: Pod, container: string, request: ExecRequest): RunCommand | undefined {
    return this.#runningIn(pod, container)?.exec(request.command, request);
  }

  attach(pod: Pod, container: string): RunCommand | undefined {
    return this.#runningIn(pod, container)?.attach();
  }

  #runningIn(pod: Pod, name: string): ProcessContainer | undefined {
    const all = [...(this.#containers.get(pod.metadata.uid ?? "") ?? [])];
    return all.find((one) => one.name === name && one.running !== undefined);
  }

  usage(): Promise<readonly ContainerUsage[]> {
    const running = [...this.#containers.values()].flatMap((all) => [...all].flatMap((one) => one.running ?? []));
    return usageOf(running, this.#world.clock.now());
  }

  #keep(uid: string, container: ProcessContainer): ProcessContainer {
    const siblings = this.#containers.get(uid) ?? new Set();
    this.#containers.set(uid, siblings.add(container));
    void container.gone.then(() => {
      siblings.delete(container);
      if (siblings.size === 0 && this.#containers.get(uid) === siblings) this.#containers.delete(uid);
    });
    return container;
  }

  /** The room is needed as long as something of the pod runs in it. */
  async #close(uid: string, setup: Setup): Promise<void> {
    await this.#whenGone(uid);
    await setup.close().catch((error: unknown) => this.#world.onError(`cannot close the sandbox of pod ${uid}`, error));
  }

  async #whenGone(uid: string): Promise<void> {
    await Promise.all([...(this.#containers.get(uid) ?? [])].map(({ gone }) => gone));
  }
}
