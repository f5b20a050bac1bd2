import type { RunReport } from "./run-report.ts";

/** Everything that one benchmark found: the content of results.json. */
export interface BenchmarkReport {
  readonly schema: "trivium.dev/benchmark/v1";
  readonly url: string;
  readonly model: string;
  readonly task: string;
  readonly startedAt: string;
  readonly endedAt: string;
  /** What the person wants to find it by, such as the engine and its hardware. */
  readonly about: Readonly<Record<string, string>>;
  readonly runs: readonly RunReport[];
}

/** A benchmark in one breath; small enough for the last words of a container. */
export interface BenchmarkSummary {
  readonly requests: number;
  readonly answered: number;
  readonly errorRate: number;
  readonly best?: {
    readonly scenario: string;
    readonly concurrency: number;
    readonly requestsPerSecond: number;
    readonly outputTokensPerSecond: number;
    readonly timeToFirstTokenMs: { readonly p50: number; readonly p95: number };
    readonly timePerOutputTokenMs: { readonly p50: number; readonly p95: number };
  };
  /** The failure met most often, in the words of the first of its kind. */
  readonly trouble?: string;
}

/** The best run is the one with most output tokens a second, or most requests where none are generated. */
export function summarizeBenchmark({ runs }: Pick<BenchmarkReport, "runs">): BenchmarkSummary {
  const total = (of: (run: RunReport) => number) => runs.reduce((sum, run) => sum + of(run), 0);
  const [requests, answered] = [total((run) => run.requests.sent), total((run) => run.requests.answered)];
  const [best] = runs
    .filter((run) => run.requests.answered > 0)
    .toSorted((a, b) => b.outputTokensPerSecond - a.outputTokensPerSecond || b.requestsPerSecond - a.requestsPerSecond);
  const trouble = commonFailure(runs);
  return {
    requests,
    answered,
    errorRate: requests === 0 ? 0 : rounded((requests - answered) / requests),
    ...(best === undefined ? {} : { best: headline(best) }),
    ...(trouble === undefined ? {} : { trouble }),
  };
}

function headline(run: RunReport): NonNullable<BenchmarkSummary["best"]> {
  const { scenario, concurrency, timeToFirstToken, timePerOutputToken } = run;
  return {
    scenario,
    concurrency,
    requestsPerSecond: rounded(run.requestsPerSecond),
    outputTokensPerSecond: rounded(run.outputTokensPerSecond),
    timeToFirstTokenMs: { p50: rounded(timeToFirstToken.p50), p95: rounded(timeToFirstToken.p95) },
    timePerOutputTokenMs: { p50: rounded(timePerOutputToken.p50), p95: rounded(timePerOutputToken.p95) },
  };
}

const rounded = (value: number): number => Math.round(value * 1000) / 1000;

function commonFailure(runs: readonly RunReport[]): string | undefined {
  const counts = new Map<string, { count: number; message: string }>();
  for (const { errors, examples } of runs) {
    for (const [kind, count] of Object.entries(errors)) {
      const message = counts.get(kind)?.message ?? examples[kind as keyof typeof examples] ?? kind;
      counts.set(kind, { count: (counts.get(kind)?.count ?? 0) + count, message });
    }
  }
  return [...counts.values()].toSorted((a, b) => b.count - a.count)[0]?.message;
}
