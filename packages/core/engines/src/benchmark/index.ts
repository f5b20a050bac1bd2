export { type BenchmarkReport, type BenchmarkSummary, summarizeBenchmark } from "./benchmark-report.ts";
export { type Distribution, percentile, summarizeValues } from "./distribution.ts";
export { parseRunSummary } from "./parse-summary.ts";
export { writeReportPage } from "./report-page.ts";
export { reportRun } from "./report-run.ts";
export {
  type ErrorKind,
  errorKinds,
  type RequestRecord,
  type RunMeasured,
  type RunReport,
  summarizeRun,
} from "./run-report.ts";
export { makePrompt, type Random, type RequestShape, sampleRequest } from "./sample.ts";
export { formatScenario, type ParsedScenario, parseScenario, type Scenario } from "./scenario.ts";
export { type BenchmarkTask, benchmarkTasks, defaultConcurrency, defaultScenariosOf, readScenario } from "./task.ts";
