#!/usr/bin/env node
import { runProgram } from "./program.ts";

const stop = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stop.abort());
process.exitCode = await runProgram(process.argv.slice(2), {
  environment: process.env,
  signal: stop.signal,
  out: process.stdout,
  err: process.stderr,
});
