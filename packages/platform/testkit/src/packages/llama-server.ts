import { execFile } from "node:child_process";
import { chmod, mkdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Packages } from "./debian.ts";
import { pythonPackages } from "./python.ts";

export interface LlamaServer {
  readonly is: "there";
  readonly path: string;
}

const script = fileURLToPath(new URL("./llama-server.py", import.meta.url));

/** A program `llama-server` around llama.cpp's own HTTP server, which the Python package xllamacpp carries; or why there is none. */
export async function llamaServer(): Promise<LlamaServer | Extract<Packages, { is: "missing" }>> {
  const packages = await pythonPackages("xllamacpp==2026.10.11549");
  if (packages.is === "missing") return packages;
  // The interpreter itself: a version manager's stand-in for it costs seconds at each start.
  const { stdout } = await promisify(execFile)("python3", ["-c", "import sys; print(sys.executable)"]);
  const folder = join(packages.root, "bin");
  const path = join(folder, "llama-server");
  const variables = Object.entries(packages.environment).map(([name, value]) => `${name}='${value}'`);
  await mkdir(folder, { recursive: true });
  // Another process may start it just now.
  const draft = `${path}.${process.pid}`;
  await writeFile(draft, `#!/bin/sh\n${variables.join(" ")} exec '${stdout.trim()}' '${script}' "$@"\n`);
  await chmod(draft, 0o755);
  await rename(draft, path);
  return { is: "there", path };
}
