import type { BenchmarkReport } from "@trivium/engines";

/** One line of a plot: how a figure changes with the number of requests at once. */
export interface BenchmarkSeries {
  readonly name: string;
  readonly points: readonly BenchmarkPoint[];
}

export interface BenchmarkPoint {
  readonly concurrency: number;
  readonly tokensPerSecond: number;
  readonly requestsPerSecond: number;
  /** Milliseconds. */
  readonly firstToken: number;
  readonly perToken: number;
}

/** A `results.json` of `trivium bench`, or what is wrong with it. */
export function readReport(text: string): BenchmarkReport | string {
  try {
    const value = JSON.parse(text) as Partial<BenchmarkReport>;
    if (value.schema !== "trivium.dev/benchmark/v1" || !Array.isArray(value.runs))
      return "not a results.json of trivium bench";
    return value as BenchmarkReport;
  } catch {
    return "not JSON; drop the results.json that trivium bench --output writes";
  }
}

/** Runs of one scenario and file are one line, in the order of their concurrency. */
export function seriesOf(name: string, { runs }: Pick<BenchmarkReport, "runs">): BenchmarkSeries[] {
  return [...Map.groupBy(runs, ({ scenario }) => scenario)].map(([scenario, own]) => ({
    name: `${name} ${scenario}`,
    points: own
      .map((run) => ({
        concurrency: run.concurrency,
        tokensPerSecond: run.outputTokensPerSecond,
        requestsPerSecond: run.requestsPerSecond,
        firstToken: run.timeToFirstToken.p50,
        perToken: run.timePerOutputToken.p50,
      }))
      .sort((a, b) => a.concurrency - b.concurrency),
  }));
}

/** The same places for all lines; a line has no value where it was not measured. */
export function alignSeries(all: readonly BenchmarkSeries[], pick: (point: BenchmarkPoint) => number) {
  const x = [...new Set(all.flatMap(({ points }) => points.map(({ concurrency }) => concurrency)))].sort(
    (a, b) => a - b,
  );
  const lines = all.map(({ name, points }) => ({
    name,
    values: x.map((at) => {
      const point = points.find(({ concurrency }) => concurrency === at);
      return point === undefined ? null : pick(point);
    }),
  }));
  return { x, lines };
}
