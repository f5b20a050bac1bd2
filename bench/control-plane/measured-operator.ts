import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { bundleOf, operatorEnvironment, operatorFlags } from "../../scripts/toolchain.mjs";
import { memoryOf, processorTimeOf } from "../support/measured-server.ts";
import type { MeasuredCluster } from "./measured-cluster.ts";
import { sumOfMetric } from "./metrics.ts";

/** Many times what a start takes; a run must end. */
const maxStart = 180_000;

export interface OperatorCounts {
  readonly passes: number | undefined;
  readonly unchanged: number | undefined;
}

/** An operator process, seen from outside. */
export interface MeasuredOperator {
  /** Milliseconds from its start to its first pass; nothing where it does not count passes. */
  readonly firstPass: number | undefined;
  /** What it has counted so far; nothing where it serves no metrics of ours. */
  counts(): Promise<OperatorCounts | undefined>;
  /** In milliseconds. */
  processorTime(): number;
  /** In bytes. */
  peakMemory(): number;
  memory(): number;
  stop(): Promise<void>;
}

/** Starts ours with its default flags, or any other command, which finds the cluster by `$KUBECONFIG`. */
export async function startMeasuredOperator(
  cluster: Pick<MeasuredCluster, "kubeconfig" | "operatorNamespace">,
  command: string | undefined,
  flags: readonly string[] = [],
): Promise<MeasuredOperator> {
  const bundle = bundleOf("operator");
  const shipped = command === undefined ? operatorEnvironment : {};
  const env = { ...process.env, ...shipped, KUBECONFIG: cluster.kubeconfig };
  const own = [
    ...operatorFlags,
    ...flags,
    bundle,
    "--operator-namespace",
    cluster.operatorNamespace,
    "--listen",
    "127.0.0.1:0",
  ];
  const [program, args] = command === undefined ? [process.execPath, own] : ["/bin/sh", ["-c", `exec ${command}`]];
  const began = performance.now();
  const child = spawn(program, args, { env, stdio: ["ignore", "pipe", "inherit"] });
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const end = (): void => void child.kill("SIGTERM");
  process.once("exit", end);
  let address: string | undefined;
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    address ??= /"address":"([^"]+)"/.exec(text)?.[1];
  });
  const counts = async (): Promise<OperatorCounts | undefined> => {
    if (address === undefined) return undefined;
    const read = async (): Promise<string> => (await fetch(`http://${address}/metrics`)).text();
    // On a busy machine the operator may close an idle connection at the moment when it is used again.
    const text = await read().catch(read);
    const unchanged = sumOfMetric(text, "trivium_unchanged_observations_total");
    return { passes: sumOfMetric(text, "trivium_passes_total"), unchanged };
  };
  const pid = child.pid ?? 0;
  const operator = {
    counts,
    processorTime: () => processorTimeOf(pid),
    peakMemory: () => Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) * 1024,
    memory: () => memoryOf(pid),
    stop: async () => {
      process.off("exit", end);
      end();
      await ended;
    },
  };
  if (command !== undefined) return { ...operator, firstPass: undefined };
  while (((await counts())?.passes ?? 0) === 0) {
    if (child.exitCode !== null) throw new Error("the operator exited before its first pass");
    if (performance.now() - began > maxStart) {
      await operator.stop();
      throw new Error(`the operator made no pass within ${maxStart / 1000} s`);
    }
    await sleep(25);
  }
  return { ...operator, firstPass: performance.now() - began };
}
