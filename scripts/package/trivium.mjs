#!/usr/bin/env node
// Starts the program with Node 24, whichever Node (20 or newer) runs this file: in this process where it is one.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { constants } from "node:os";
import { dirname, join } from "node:path";
import { setFlagsFromString } from "node:v8";

const program = new URL("../dist/trivium.mjs", import.meta.url);
const flag = "--max-semi-space-size=8";

if (Number(process.versions.node.split(".")[0]) >= 24) {
  setFlagsFromString(flag);
  await import(program.href);
} else startWith(packagedNode());

function packagedNode() {
  try {
    const manifest = createRequire(import.meta.url).resolve(`node-${process.platform}-${process.arch}/package.json`);
    const node = join(dirname(manifest), "bin", "node");
    if (existsSync(node)) return node;
  } catch {
    // Reported below.
  }
  console.error(
    `error: trivium needs Node 24 or newer, this is ${process.version}; install it and run the command again`,
  );
  process.exit(1);
}

function startWith(node) {
  const child = spawn(node, [flag, program.pathname, ...process.argv.slice(2)], { stdio: "inherit" });
  // A terminal sends Ctrl-C to the whole group, so the program may see it twice; it treats the second as the same signal.
  const asked = ["SIGINT", "SIGTERM", "SIGHUP"];
  for (const signal of asked) process.on(signal, () => child.kill(signal));
  child.on("exit", (code, signal) => {
    // Whoever pressed Ctrl-C knows it; shells expect 128 and the number of the signal.
    if (signal !== null && !asked.includes(signal)) console.error(`error: the program was ended by ${signal}`);
    process.exit(code ?? 128 + (constants.signals[signal] ?? 1));
  });
}
