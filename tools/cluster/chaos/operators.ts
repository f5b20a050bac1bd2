import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type KubeClient, Lease } from "@trivium/kube";
import { sumOfMetric } from "../../../bench/control-plane/metrics.ts";

const program = join(import.meta.dirname, "../../../apps/operator/src/main.ts");
const clock = join(import.meta.dirname, "jumping-clock.ts");

interface Running {
  readonly child: ChildProcess;
  readonly ended: Promise<void>;
  address?: string;
  /** Passes when they were last counted. */
  passes: number;
  isAhead: boolean;
}

/** Replicas of the shipped operator as processes, of which one leads. */
export class Operators {
  readonly #args: readonly string[];
  readonly #client: KubeClient;
  readonly #running = new Map<string, Running>();
  /** Faults of the operator itself that it logs, and replicas that exited although they were not stopped. */
  readonly errors: string[] = [];
  #started = 0;
  #passesOfKilled = 0;

  constructor(client: KubeClient, args: readonly string[]) {
    this.#client = client;
    this.#args = args;
  }

  start(): void {
    this.#started += 1;
    const identity = `operator-${this.#started}`;
    const args = ["--import", clock, program, ...this.#args, "--identity", identity, "--listen", "127.0.0.1:0"];
    const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
    const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
    const running: Running = { child, ended, passes: 0, isAhead: false };
    this.#running.set(identity, running);
    this.#follow(identity, running);
    void ended.then(() => {
      if (this.#running.delete(identity)) this.errors.push(`${identity} exited with ${child.exitCode}`);
    });
  }

  /** The identity of the replica that leads, once it is one that runs. */
  async leader(namespace: string): Promise<string> {
    for (;;) {
      const lease = await this.#client.get(Lease, { namespace, name: "trivium-operator" }).catch(() => undefined);
      const holder = lease?.spec?.holderIdentity ?? "";
      if (this.#running.has(holder)) return holder;
      await sleep(500);
    }
  }

  async kill(identity: string): Promise<void> {
    const running = this.#running.get(identity);
    if (running === undefined) return;
    await countPasses(running);
    this.#passesOfKilled += running.passes;
    this.#running.delete(identity);
    running.child.kill("SIGKILL");
    await running.ended;
  }

  /** The clocks of all replicas jump ahead, or back. One that was started in between is not ahead and does not jump back. */
  jumpClocks(to: "ahead" | "back"): void {
    for (const running of this.#running.values()) {
      if (running.isAhead === (to === "ahead")) continue;
      running.isAhead = to === "ahead";
      running.child.kill("SIGUSR2");
    }
  }

  /** Resident memory of the largest replica in megabytes. */
  memory(): number {
    return Math.max(0, ...[...this.#running.values()].map(({ child }) => memoryOf(child.pid ?? 0)));
  }

  /** Passes of all replicas so far, those that were killed included. */
  async passes(): Promise<number> {
    const all = [...this.#running.values()];
    await Promise.all(all.map(countPasses));
    return all.reduce((sum, { passes }) => sum + passes, this.#passesOfKilled);
  }

  async stop(): Promise<void> {
    const all = [...this.#running.values()];
    this.#running.clear();
    for (const { child } of all) child.kill("SIGTERM");
    await Promise.all(all.map(({ ended }) => ended));
  }

  #follow(identity: string, running: Running): void {
    let rest = "";
    running.child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      const lines = (rest + text).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) {
        const address = /"address":"([^"]+)"/.exec(line)?.[1];
        if (address !== undefined) running.address ??= address;
        if (line.includes('"level":"error"') && !isRetried(line)) this.errors.push(`${identity} ${line}`);
      }
    });
  }
}

/** A pass that failed because a call did; not one that failed because of a fault in our code. */
const isRetried = (line: string): boolean =>
  line.includes('"msg":"the pass failed; retrying"') &&
  !/"name":"(Type|Reference|Range|Syntax|Assertion)Error"/.test(line);

/** A replica that does not respond keeps the number that it had. */
async function countPasses(running: Running): Promise<void> {
  if (running.address === undefined) return;
  const text = await fetch(`http://${running.address}/metrics`).then(
    (response) => response.text(),
    () => "",
  );
  running.passes = sumOfMetric(text, "trivium_passes_total") ?? running.passes;
}

function memoryOf(pid: number): number {
  try {
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}
