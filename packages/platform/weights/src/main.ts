#!/usr/bin/env -S node --max-semi-space-size=1
// The flag makes the engine drop network buffers sooner: a fast download then stays under 150 MB of memory.
import { runProgram } from "./program/program.ts";

const stop = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stop.abort());
process.exitCode = await runProgram(process.argv.slice(2), {
  environment: process.env,
  signal: stop.signal,
  out: process.stdout,
  err: process.stderr,
});
