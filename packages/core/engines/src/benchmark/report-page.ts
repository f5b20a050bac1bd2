import type { BenchmarkReport } from "./benchmark-report.ts";
import type { Distribution } from "./distribution.ts";
import { drawPlot, escapeHtml, type PlotLine, shortNumber } from "./line-plot.ts";
import type { RunReport } from "./run-report.ts";

const style = `body{font:14px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:1180px;padding:0 1rem;color:#1f2937}
h1{font-size:1.4rem}dl{display:grid;grid-template-columns:max-content 1fr;gap:.1rem 1rem}dt{color:#6b7280}dd{margin:0}
table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}th,td{padding:.25rem .5rem;text-align:right;border-bottom:1px solid #e5e7eb}
th:first-child,td:first-child{text-align:left}.plots{display:grid;grid-template-columns:repeat(auto-fit,minmax(480px,1fr));gap:1rem}
svg text{font:11px system-ui,sans-serif;fill:#374151}svg .title{font-weight:600;font-size:13px}svg polyline{fill:none;stroke-width:2}
svg .grid{stroke:#e5e7eb}.bad{color:#b91c1c}`;

/** One page with tables and plots that needs nothing from elsewhere: no script, no font, no picture. */
export function writeReportPage(report: BenchmarkReport): string {
  const { url, model, task, startedAt, endedAt, about, runs } = report;
  const facts = { Address: url, Model: model, Task: task, Began: startedAt, Ended: endedAt, ...about };
  const rows = Object.entries(facts).map(
    ([name, value]) => `<dt>${escapeHtml(name)}</dt><dd>${escapeHtml(value)}</dd>`,
  );
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Benchmark of ${escapeHtml(model)}</title><style>${style}</style></head><body>
<h1>Benchmark of ${escapeHtml(model)}</h1>
<dl>${rows.join("")}</dl>
<div class="plots">${plotsOf(runs).join("\n")}</div>
<h2>Runs</h2>
${tableOf(runs)}
${errorsOf(runs)}
</body></html>
`;
}

function plotsOf(runs: readonly RunReport[]): string[] {
  const plot = (title: string, yAxis: string, lines: PlotLine[]) =>
    drawPlot({ title, xAxis: "concurrent requests", yAxis, lines });
  const generates = runs.some(({ outputTokensPerSecond }) => outputTokensPerSecond > 0);
  const over = (of: (run: RunReport) => number) => linesOf(runs, (run) => [["", of(run)]]);
  const spread = (of: (run: RunReport) => Distribution) =>
    linesOf(runs, (run) => {
      const { p50, p95, p99 } = of(run);
      return [
        [" p50", p50],
        [" p95", p95],
        [" p99", p99],
      ];
    });
  return [
    generates
      ? plot(
          "Throughput",
          "output tokens / s",
          over((run) => run.outputTokensPerSecond),
        )
      : plot(
          "Throughput",
          "input tokens / s",
          over((run) => run.inputTokensPerSecond),
        ),
    plot(
      "Requests",
      "requests / s",
      over((run) => run.requestsPerSecond),
    ),
    ...(generates
      ? [
          plot(
            "Time to first token",
            "ms",
            spread((run) => run.timeToFirstToken),
          ),
          plot(
            "Time per output token",
            "ms",
            spread((run) => run.timePerOutputToken),
          ),
        ]
      : [
          plot(
            "Latency",
            "ms",
            spread((run) => run.latency),
          ),
        ]),
  ];
}

/** The further from the middle, the thinner: of the percentiles in their order. */
const dashes = [undefined, "7 3", "2 3"];

/** A line for each scenario and each value of a run; runs without an answer leave a gap. */
function linesOf(
  runs: readonly RunReport[],
  valuesOf: (run: RunReport) => readonly (readonly [name: string, y: number])[],
): PlotLine[] {
  const lines = new Map<string, Omit<PlotLine, "points"> & { readonly points: [number, number][] }>();
  for (const run of runs) {
    const { concurrency, requests, scenario } = run;
    if (requests.answered === 0) continue;
    for (const [at, [word, y]] of valuesOf(run).entries()) {
      const name = `${scenario}${word}`;
      const line = lines.get(name) ?? { name, family: scenario, dash: dashes[at], points: [] };
      line.points.push([concurrency, y]);
      lines.set(name, line);
    }
  }
  return [...lines.values()].map((line) => ({ ...line, points: line.points.toSorted(([a], [b]) => a - b) }));
}

const columns: readonly (readonly [string, (run: RunReport) => string])[] = [
  ["Scenario", ({ scenario }) => escapeHtml(scenario)],
  ["Concurrency", ({ concurrency }) => String(concurrency)],
  ["Completed", ({ requests }) => `${requests.answered} of ${requests.sent}`],
  ["Requests/s", ({ requestsPerSecond }) => shortNumber(requestsPerSecond)],
  ["Output tokens/s", ({ outputTokensPerSecond }) => shortNumber(outputTokensPerSecond)],
  ["First token p50, ms", ({ timeToFirstToken }) => shortNumber(timeToFirstToken.p50)],
  ["p95", ({ timeToFirstToken }) => shortNumber(timeToFirstToken.p95)],
  ["Per token p50, ms", ({ timePerOutputToken }) => shortNumber(timePerOutputToken.p50)],
  ["p95", ({ timePerOutputToken }) => shortNumber(timePerOutputToken.p95)],
  ["Latency p50, ms", ({ latency }) => shortNumber(latency.p50)],
  ["p95", ({ latency }) => shortNumber(latency.p95)],
];

function tableOf(runs: readonly RunReport[]): string {
  const head = columns.map(([name]) => `<th>${name}</th>`).join("");
  const rows = runs.map((run) => `<tr>${columns.map(([, cell]) => `<td>${cell(run)}</td>`).join("")}</tr>`);
  return `<table><thead><tr>${head}</tr></thead><tbody>${rows.join("\n")}</tbody></table>`;
}

function errorsOf(runs: readonly RunReport[]): string {
  const lines = runs.flatMap(({ scenario, concurrency, errors, examples }) =>
    Object.entries(errors).map(([kind, count]) => {
      const reported = examples[kind as keyof typeof examples] ?? "";
      return `<li>${escapeHtml(scenario)} at ${concurrency}: ${count} × ${escapeHtml(kind)}, such as “${escapeHtml(reported)}”</li>`;
    }),
  );
  return lines.length === 0 ? "" : `<h2 class="bad">Failures</h2><ul>${lines.join("")}</ul>`;
}
