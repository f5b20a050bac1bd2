import { useState } from "preact/hooks";
import { collectionPathOf } from "../kube/apis.ts";
import { apis } from "../kube/dialects.ts";
import { scope } from "../kube/scope.ts";
import { useTables } from "../live/use-tables.ts";
import { Empty } from "../parts/empty.tsx";
import { Plot } from "../plots/plot.tsx";
import { JobTable } from "./job-table.tsx";
import { alignSeries, type BenchmarkPoint, type BenchmarkSeries, readReport, seriesOf } from "./read-report.ts";
import "../styles/service.css";

const jobKinds = apis.flatMap(({ kinds }) => kinds.filter(({ plural }) => plural === "benchmarkjobs"));

const figures: readonly (readonly [string, (point: BenchmarkPoint) => number])[] = [
  ["Tokens per second", ({ tokensPerSecond }) => tokensPerSecond],
  ["Requests per second", ({ requestsPerSecond }) => requestsPerSecond],
  ["Time to first token (p50, ms)", ({ firstToken }) => firstToken],
  ["Time per token (p50, ms)", ({ perToken }) => perToken],
];

/** Benchmarks of the cluster, and results of `trivium bench` side by side. */
export function BenchmarksPage() {
  const [series, setSeries] = useState<readonly BenchmarkSeries[]>([]);
  const [failure, setFailure] = useState("");
  const [table] = useTables(jobKinds.map((kind) => collectionPathOf(kind, scope.value)));
  const jobs = [...(table?.objects.values() ?? [])];
  const read = async (files: readonly File[]) => {
    setFailure("");
    for (const file of files) {
      const report = readReport(await file.text());
      if (typeof report === "string") setFailure(`${file.name}: ${report}`);
      else setSeries((before) => [...before, ...seriesOf(`${report.model || file.name} ${before.length + 1}`, report)]);
    }
  };
  return (
    <div class="page">
      <h1 tabIndex={-1}>Benchmarks</h1>
      <section class="card" aria-label="Results">
        <label class="field">
          Compare results: choose files, each a results.json of trivium bench
          <input
            type="file"
            accept="application/json,.json"
            multiple
            onChange={({ currentTarget }) => read([...(currentTarget.files ?? [])])}
          />
        </label>
        {failure !== "" && (
          <p class="notice" role="alert">
            {failure}
          </p>
        )}
      </section>
      {series.length > 0 && (
        <div class="grid grid-plots">
          {figures.map(([title, pick]) => {
            const { x, lines } = alignSeries(series, pick);
            return <Plot key={title} title={`${title}, by requests at once`} x={x} lines={lines} isTime={false} />;
          })}
        </div>
      )}
      {jobs.length > 0 && <JobTable jobs={jobs} />}
      {jobs.length === 0 && series.length === 0 && (
        <Empty title="No benchmarks yet" command="trivium bench chat --output results">
          BenchmarkJobs of OME appear here, and result files that you choose above are plotted side by side. Measure a
          service:
        </Empty>
      )}
    </div>
  );
}
