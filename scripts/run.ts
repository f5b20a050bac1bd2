import { spawn } from "node:child_process";
import { join } from "node:path";

/** Runs a program of node_modules/.bin (or a path) and resolves with its exit status. */
export function run(program: string, args: readonly string[]): Promise<number> {
  const path = program.includes("/") ? program : join("node_modules", ".bin", program);
  return new Promise((resolve, reject) => {
    const child = spawn(path, args, { stdio: "inherit" });
    child.on("error", reject);
    child.on("exit", (code) => resolve(code ?? 1));
  });
}
