import { formatAge } from "@trivium/explain";
import type { AnyObject } from "@trivium/kube";
import { now } from "../kube/clock.ts";
import { ScrollBox } from "../parts/scroll-box.tsx";
import { Status } from "../parts/status.tsx";
import { readJob } from "./read-job.ts";

const words: Readonly<Record<string, string>> = {
  Completed: "Ready",
  Running: "Progressing",
  Pending: "Progressing",
  Failed: "Failed",
};

/** The benchmarks of the cluster with their best run, side by side. */
export const JobTable = ({ jobs }: { readonly jobs: readonly AnyObject[] }) => (
  <ScrollBox class="table-box" label="Benchmark jobs">
    <table class="table wrapped">
      <thead>
        <tr>
          <th scope="col">Job</th>
          <th scope="col">State</th>
          <th scope="col">Best run</th>
          <th scope="col">Requests/s</th>
          <th scope="col">Tokens/s</th>
          <th scope="col">First token p50</th>
          <th scope="col">Answered</th>
          <th scope="col">Age</th>
        </tr>
      </thead>
      <tbody>
        {jobs.map((job) => {
          const { state, message, best, answered, requests } = readJob(job);
          const { namespace, name, creationTimestamp = "" } = job.metadata;
          return (
            <tr key={`${namespace}/${name}`}>
              <th scope="row">
                {name} <span class="muted">{namespace}</span>
              </th>
              <td>
                <Status status={words[state] ?? "Progressing"} word={state} /> <span class="muted">{message}</span>
              </td>
              <td>{best === undefined ? "–" : `${best.scenario} × ${best.concurrency}`}</td>
              <td class="num">{best?.requestsPerSecond?.toFixed(2) ?? "–"}</td>
              <td class="num">{best?.outputTokensPerSecond?.toFixed(1) ?? "–"}</td>
              <td class="num">
                {best?.timeToFirstTokenMs === undefined ? "–" : `${Math.round(best.timeToFirstTokenMs.p50)}ms`}
              </td>
              <td class="num">{requests === undefined ? "–" : `${answered ?? 0} of ${requests}`}</td>
              <td>{formatAge(now.value - Date.parse(creationTimestamp))}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  </ScrollBox>
);
