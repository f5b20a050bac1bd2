#!/usr/bin/env node
import { runProgram } from "./program.ts";

const stop = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stop.abort());
// The end is said, not waited for: a client that does not hang up must not keep the process.
process.exit(
  await runProgram(process.argv.slice(2), { signal: stop.signal, out: process.stdout, err: process.stderr }),
);
