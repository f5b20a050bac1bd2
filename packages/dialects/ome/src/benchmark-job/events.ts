import type { Note } from "@trivium/reconcile";
import { jobNameOf } from "./names/job-name.ts";
import type { ObservedBenchmark } from "./observe.ts";
import type { BenchmarkJob } from "./pod/check-spec.ts";
import { planOutput } from "./pod/output.ts";
import { resultsAt } from "./pod/tool-arguments.ts";
import type { Decided } from "./raise.ts";

/** What is recorded as Events of a benchmark, each once. */
export function benchmarkEvents(object: BenchmarkJob, measured: Decided, observed: ObservedBenchmark): Note[] {
  switch (measured.is) {
    case "over":
      return [];
    case "blocked":
      return [warning("InvalidSpec", measured.message)];
    case "waiting":
      return [warning(measured.target.reason, measured.target.message)];
    case "planned":
      return [
        { type: "Normal", reason: "BenchmarkStarted", message: `Job ${jobNameOf(object)} is running the benchmark` },
        ...configurationEvents(observed),
        ...credentialEvents(object),
      ];
    case "underway":
      return measured.trouble === undefined ? [] : [warning("PodNotRunning", measured.trouble.message)];
    case "completed":
      return [
        {
          type: "Normal",
          reason: "BenchmarkCompleted",
          message: `Results stored in ${resultsAt(object, observed.jobName)}`,
        },
      ];
    case "failed":
      return [warning("BenchmarkFailed", measured.message)];
  }
}

const warning = (reason: string, message: string): Note => ({ type: "Warning", reason, message });

function configurationEvents({ configuration }: ObservedBenchmark): Note[] {
  const fault = configuration?.is === "known" ? configuration.value.fault : undefined;
  return fault === undefined ? [] : [warning("InvalidConfiguration", fault)];
}

function credentialEvents(object: BenchmarkJob): Note[] {
  const output = planOutput(object);
  if (output.is === "faulty" || output.plainCredentials.length === 0) return [];
  const names = output.plainCredentials.join(", ");
  const message = `spec.outputLocation.parameters contains credentials in plain text (${names}); move them to a Secret and set spec.outputLocation.key`;
  return [warning("PlainCredentials", message)];
}
