import { spawnSync } from "node:child_process";

/** Output of a program; throws with what it reported where it fails. */
export function run(program: string, args: readonly string[], env: NodeJS.ProcessEnv = process.env): string {
  const { status, stdout, stderr, error } = spawnSync(program, args, { encoding: "utf8", env, maxBuffer: 1 << 26 });
  if (status === 0) return stdout;
  throw new Error(`${program} ${args.join(" ")}: ${error?.message ?? (stderr.trim() || `exit code ${status}`)}`);
}
