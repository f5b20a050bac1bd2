import { readFileSync } from "node:fs";
import { cpus, freemem, totalmem } from "node:os";
import { setTimeout as pause } from "node:timers/promises";
import type { ContainerMetrics, UsagePort } from "@trivium/apiserver";
import type { Sandbox } from "@trivium/node";
import { type ContainerUse, ProcessorTimes, shortestWindow } from "./processor-times.ts";

export interface UsageOptions {
  readonly sandbox: Sandbox;
  /** The name of this machine as a node. */
  readonly node: string;
}

/** What pods and this machine use, for `kubectl top`. The first call, and one after a pod began, takes two looks and so two seconds. */
export function usageOf({ sandbox, node }: UsageOptions): UsagePort {
  const containers = new ProcessorTimes(sandbox);
  const machine = new MachineTimes();
  return async () => {
    machine.read();
    let found = await containers.read();
    if (machine.last === undefined || !found.every(isMeasured)) {
      await pause(shortestWindow);
      found = await containers.read();
      machine.read();
    }
    const at = Date.now();
    const { milliProcessors, window } = machine.last ?? { milliProcessors: 0, window: shortestWindow };
    return {
      containers: found.filter(isMeasured),
      nodes: [{ node, at, window, milliProcessors, memoryBytes: usedMemory() }],
    };
  };
}

const isMeasured = (one: ContainerUse): one is ContainerUse & ContainerMetrics => one.milliProcessors !== undefined;

/** How busy the processors of the machine were between two looks. */
class MachineTimes {
  #before: { readonly at: number; readonly busy: number } | undefined;
  last: { readonly milliProcessors: number; readonly window: number } | undefined;

  read(): void {
    const at = Date.now();
    const busy = cpus().reduce((sum, { times }) => sum + times.user + times.nice + times.sys + times.irq, 0);
    const before = this.#before;
    if (before !== undefined && at - before.at < shortestWindow / 2) return;
    this.#before = { at, busy };
    if (before === undefined) return;
    const window = at - before.at;
    this.last = { milliProcessors: ((busy - before.busy) / window) * 1_000, window };
  }
}

/** Without what the system would give back at once, such as cached files. */
function usedMemory(): number {
  try {
    const [, kibibytes] = /^MemAvailable:\s+(\d+) kB$/m.exec(readFileSync("/proc/meminfo", "latin1")) ?? [];
    return totalmem() - Number(kibibytes) * 1_024;
  } catch {
    return totalmem() - freemem();
  }
}
