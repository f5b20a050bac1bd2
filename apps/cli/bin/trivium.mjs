#!/usr/bin/env node
// Starts the program with Node 24, whichever Node was asked to run this file.
import { spawn } from "node:child_process";
import { ensureBuilt, ensureInstalled, findNode, programFlags } from "../../../scripts/toolchain.mjs";

ensureInstalled();
const child = spawn(findNode(), [...programFlags, ensureBuilt(), ...process.argv.slice(2)], { stdio: "inherit" });
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  process.on(signal, () => child.kill(signal));
}
child.on("exit", (code, signal) => process.exit(code ?? (signal === "SIGINT" ? 130 : 1)));
