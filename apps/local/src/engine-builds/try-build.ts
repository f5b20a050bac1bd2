import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { InstalledBuild } from "@trivium/node";
import { checkoutFolder, ownPrograms } from "../programs.ts";

export interface Trial {
  readonly isUsable: boolean;
  /** The GPUs that it computed on, or why it could not, with what to do. */
  readonly text: string;
}

const patience = 120_000;

/** Computes a few tokens of the demo model with a build, in a process of its own: native code ends its process when it fails. */
export function tryBuild({ name, env }: InstalledBuild): Promise<Trial> {
  const [program = "", ...args] = ownPrograms().engine;
  const model = join(checkoutFolder() ?? "", "examples", "models", "demo", "demo.gguf");
  const trial = existsSync(model) ? { TRIVIUM_ENGINE_TRIAL_MODEL: model } : {};
  return new Promise((resolve) => {
    const options = { env: { ...process.env, ...env, ...trial }, timeout: patience, encoding: "utf8" } as const;
    execFile(program, [...args, "--list-devices"], options, (error, stdout, stderr) => {
      const text = error === null ? stdout.replace(/^Available devices:\n/, "").trim() : explainTrial(name, stderr);
      resolve({ isUsable: error === null, text });
    });
  });
}

/** Why a trial failed, from what the engine and its native code wrote. */
export function explainTrial(build: string, output: string): string {
  const told = /^error: (.*)$/m.exec(output)?.[1];
  if (told !== undefined) return told;
  if (/PTX was compiled with an unsupported toolchain/.test(output)) {
    const other = build === "cuda" ? ", or use the build for CUDA 12 with trivium engine add cuda12" : "";
    return `the driver of the GPU is older than this build; update the driver${other}`;
  }
  if (/no kernel image is available/.test(output)) return "this build does not support the GPU; use another build";
  const native = /^E (.*error.*)$/im.exec(output)?.[1] ?? output.split("\n").find((line) => /error/i.test(line));
  return `the trial failed${native === undefined ? "" : `: ${native.trim()}`}; update the driver of the GPU, or use another build`;
}
