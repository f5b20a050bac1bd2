import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { bundleOf, operatorFlags } from "../../scripts/toolchain.mjs";
import { processorTimeOf } from "../support/measured-server.ts";
import type { MeasuredCluster } from "./measured-cluster.ts";
import { sumOfMetric } from "./metrics.ts";

/** An operator process, seen from outside. */
export interface MeasuredOperator {
  /** Milliseconds from its start to its first pass; nothing where it does not count passes. */
  readonly firstPass: number | undefined;
  passes(): Promise<number | undefined>;
  /** In milliseconds. */
  processorTime(): number;
  /** In bytes. */
  peakMemory(): number;
  stop(): Promise<void>;
}

/** Starts ours with its default flags, or any other command, which finds the cluster by `$KUBECONFIG`. */
export async function startMeasuredOperator(
  cluster: MeasuredCluster,
  command: string | undefined,
): Promise<MeasuredOperator> {
  const bundle = bundleOf("operator");
  const env = { ...process.env, KUBECONFIG: cluster.kubeconfig };
  const own = [...operatorFlags, bundle, "--operator-namespace", cluster.operatorNamespace, "--listen", "127.0.0.1:0"];
  const [program, args] = command === undefined ? [process.execPath, own] : ["/bin/sh", ["-c", `exec ${command}`]];
  const began = performance.now();
  const child = spawn(program, args, { env, stdio: ["ignore", "pipe", "inherit"] });
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  process.once("exit", () => child.kill("SIGTERM"));
  let address: string | undefined;
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    address ??= /"address":"([^"]+)"/.exec(text)?.[1];
  });
  const passes = async (): Promise<number | undefined> => {
    if (address === undefined) return undefined;
    const answer = await fetch(`http://${address}/metrics`);
    return sumOfMetric(await answer.text(), "trivium_passes_total");
  };
  const pid = child.pid ?? 0;
  const operator = {
    passes,
    processorTime: () => processorTimeOf(pid),
    peakMemory: () => Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) * 1024,
    stop: async () => {
      child.kill("SIGTERM");
      await ended;
    },
  };
  if (command !== undefined) return { ...operator, firstPass: undefined };
  while (((await passes()) ?? 0) === 0) {
    if (child.exitCode !== null) throw new Error("the operator exited before its first pass");
    await sleep(25);
  }
  return { ...operator, firstPass: performance.now() - began };
}
