#!/usr/bin/env node
import { runProgram } from "./program/program.ts";

const stop = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stop.abort());
process.exitCode = await runProgram(process.argv.slice(2), process.env, stop.signal);
