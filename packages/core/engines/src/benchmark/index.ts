export { type BenchmarkReport, type BenchmarkSummary, summarizeBenchmark } from "./benchmark-report.ts";
export { parseRunSummary } from "./parse-summary.ts";
export { writeReportPage } from "./report-page.ts";
export { type ErrorKind, type RequestRecord, type RunReport, summarizeRun } from "./run-report.ts";
export { makePrompt, type Random, type RequestShape, sampleRequest } from "./sample.ts";
export { formatScenario, type Scenario } from "./scenario.ts";
export { type BenchmarkTask, benchmarkTasks, defaultConcurrency, defaultScenariosOf, readScenario } from "./task.ts";
