export { type ProgramHost, runProgram } from "./program.ts";
export { type Measured, runBenchmark } from "./run-benchmark.ts";
export { readSettings, type Settings } from "./settings.ts";
