import { writeFile } from "node:fs/promises";
import { type BenchmarkSummary, type RunReport, summarizeBenchmark } from "@trivium/engines";
import { Refusal } from "@trivium/std";
import { type Measured, runBenchmark } from "./run-benchmark.ts";
import { readSettings, type Settings, usage } from "./settings.ts";
import { writeResults } from "./write-results.ts";

/** What the program touches of the process it runs in. */
export interface ProgramHost {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
  readonly out: { write(text: string): unknown };
  readonly err: { write(text: string): unknown };
  /** No line for each run. */
  readonly isQuiet?: boolean;
  /** What an error begins with (default: nothing). */
  readonly errorPrefix?: string;
}

/** Runs the program and returns its exit code. */
export async function runProgram(args: readonly string[], host: ProgramHost): Promise<number> {
  const { signal, out } = host;
  if (args.includes("--help")) {
    out.write(`${usage}\n`);
    return 0;
  }
  let settings: Settings | undefined;
  try {
    settings = readSettings(args, host.environment);
    const onRun = (run: RunReport): void => void (host.isQuiet || host.err.write(`${lineOf(run)}\n`));
    return await reportResults(settings, await runBenchmark(settings, { signal, onRun }), host);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    writeError(host, error.message);
    await leaveSummary(settings?.summary, { failure: error.message });
    return 2;
  }
}

function writeError({ err, errorPrefix }: ProgramHost, message: string): void {
  err.write(`${errorPrefix === undefined ? "" : `${errorPrefix}: `}${message}\n`);
}

async function reportResults(settings: Settings, measured: Measured, host: ProgramHost): Promise<number> {
  const { out, err, signal } = host;
  const summary = summarizeBenchmark(measured.report);
  const written = settings.output === undefined ? [] : await writeResults(settings.output, measured);
  const failure = whyFailed(summary, measured);
  const whole = { ...summary, ...(failure === undefined ? {} : { failure }) };
  await leaveSummary(settings.summary, whole);
  out.write(
    settings.format === "json"
      ? `${JSON.stringify(whole)}\n`
      : `${tableOf(measured.report.runs)}${describeSummary(summary)}\n`,
  );
  if (settings.format === "text" && written.length > 0)
    out.write(`Results: ${settings.output}, plots in report.html\n`);
  for (const each of measured.refused) err.write(`refused: ${each}\n`);
  if (signal.aborted) return 130;
  if (failure === undefined) return 0;
  writeError(host, failure);
  return 1;
}

function whyFailed({ answered, trouble }: BenchmarkSummary, { brokenOff }: Measured): string | undefined {
  if (answered === 0) return `no request succeeded: ${trouble ?? brokenOff ?? "no request was sent"}`;
  return brokenOff;
}

/** The operator reads the termination message of the container. */
async function leaveSummary(path: string | undefined, summary: object): Promise<void> {
  if (path !== undefined) await writeFile(path, JSON.stringify(summary));
}

const rounded = (value: number): string => String(Number(value.toPrecision(3)));

function lineOf({ scenario, concurrency, requests, ...run }: RunReport): string {
  const { requestsPerSecond, outputTokensPerSecond, timeToFirstToken: first, timePerOutputToken: each } = run;
  const succeeded = `${scenario} × ${concurrency}: ${requests.answered} of ${requests.sent} succeeded`;
  if (requests.answered === 0) return succeeded;
  return [
    succeeded,
    `${rounded(requestsPerSecond)} requests/s`,
    `${rounded(outputTokensPerSecond)} tokens/s`,
    `first token p50 ${rounded(first.p50)}ms, p95 ${rounded(first.p95)}ms`,
    `per token p50 ${rounded(each.p50)}ms`,
  ].join(", ");
}

/** A line a scenario and concurrency, as wide as its widest cells. */
function tableOf(runs: readonly RunReport[]): string {
  if (runs.length === 0) return "";
  const titles = ["SCENARIO", "PARALLEL", "OK", "REQUESTS/S", "TOKENS/S", "FIRST TOKEN P50", "P95", "PER TOKEN P50"];
  const rows = [titles, ...runs.map(cellsOf)];
  const widths = titles.map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)));
  return rows
    .map(
      (row) =>
        `${row
          .map((cell, at) => cell.padEnd((widths[at] ?? 0) + 3))
          .join("")
          .trimEnd()}\n`,
    )
    .join("");
}

function cellsOf({ scenario, concurrency, requests, ...run }: RunReport): string[] {
  const { requestsPerSecond, outputTokensPerSecond, timeToFirstToken: first, timePerOutputToken: each } = run;
  const counts = [scenario, String(concurrency), `${requests.answered}/${requests.sent}`];
  // Without an answer there is no time of one.
  if (requests.answered === 0) return [...counts, ...Array<string>(5).fill("-")];
  return [
    ...counts,
    ...[rounded(requestsPerSecond), rounded(outputTokensPerSecond)],
    ...[`${rounded(first.p50)}ms`, `${rounded(first.p95)}ms`, `${rounded(each.p50)}ms`],
  ];
}

function describeSummary({ requests, answered, best }: BenchmarkSummary): string {
  const count = `${answered} of ${requests} requests succeeded`;
  if (best === undefined) return count;
  const { scenario, concurrency, requestsPerSecond, outputTokensPerSecond } = best;
  return `${count}; best at ${scenario} × ${concurrency}: ${rounded(requestsPerSecond)} requests/s, ${rounded(outputTokensPerSecond)} tokens/s`;
}
