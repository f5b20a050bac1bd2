import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { ensureBuilt, programFlags } from "../../scripts/toolchain.mjs";
import { type MeasuredServer, memoryOf, processorTimeOf } from "./measured-server.ts";

/** A control plane that a measurement started. */
export interface Running extends MeasuredServer {
  readonly home: string;
  /** Milliseconds from the start of the process to its line `ready`. */
  readonly startedIn: number;
  removeHome(): void;
}

export interface StartOptions {
  readonly flags: readonly string[];
  /** The home of an earlier one; a new one when left out. */
  readonly home?: string;
}

/** Starts what `npm start` starts and resolves when it is ready. */
export async function startTrivium(options: StartOptions): Promise<Running> {
  const program = ensureBuilt();
  const home = options.home ?? mkdtempSync(join(tmpdir(), "trivium-measured-"));
  const began = performance.now();
  const args = [...programFlags, ...options.flags, program, "up", "--home", home];
  args.push("--port", "0", "--gateway-port", "0", "--no-demo");
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  const ended = once(child, "exit");
  // Whoever measures may be told to stop before it could say so to the program.
  process.once("exit", () => child.kill("SIGINT"));
  for await (const line of createInterface({ input: child.stdout })) if (line === "ready") break;
  return {
    home,
    kubeconfig: join(home, "kubeconfig"),
    startedIn: performance.now() - began,
    memory: () => memoryOf(child.pid ?? 0),
    processorTime: () => processorTimeOf(child.pid ?? 0),
    stop: async () => {
      child.kill("SIGINT");
      await ended;
    },
    removeHome: () => rmSync(home, { recursive: true, force: true }),
  };
}
