import { emitJob } from "@trivium/emitters";
import { Job } from "@trivium/kube";
import { type Decision, type Desired, hasUnresolved, type Reconciler } from "@trivium/reconcile";
import { BenchmarkJob as Kind } from "../kinds/benchmark-job.ts";
import type { OmeOptions } from "../options.ts";
import { lowerBenchmark } from "./lower.ts";
import { jobNameOf } from "./names/job-name.ts";
import { benchmarkReads, type ObservedBenchmark, observeBenchmark } from "./observe.ts";
import { type BenchmarkJob, formatFault } from "./pod/check-spec.ts";
import { configured } from "./pod/configuration.ts";
import { planJob } from "./pod/job.ts";
import { type BenchmarkOptions, benchmarkDefaults } from "./pod/options.ts";
import { lastLogLineOf, raiseFaulty, raiseJob, raisePending, raiseWaiting, type Status } from "./raise.ts";
import { raiseRefusedJob } from "./status/refused.ts";

/** A benchmark is one Job. Once it is there, it and nothing else decides how the benchmark stands; it goes with its owner. */
export function benchmarkReconciler(
  options: OmeOptions,
  benchmark: BenchmarkOptions = benchmarkDefaults,
): Reconciler<BenchmarkJob, ObservedBenchmark, (typeof benchmarkReads)[number] | typeof Job> {
  return {
    name: "ome.benchmark-job",
    formerNames: ["ome.benchmarkjob"],
    kind: Kind,
    reads: benchmarkReads,
    writes: [Job],
    observe: (object, reader) => observeBenchmark(object, reader, options),
    decide(object, observed, now): Decision<Status> {
      const converge = (children: readonly Desired[], raised: { status: Status }): Decision<Status> => ({
        do: "converge",
        children,
        ...raised,
      });
      if (hasUnresolved(observed)) return { do: "hold", status: object.status ?? { state: "Pending" } };
      if (observed.job.is === "known")
        return converge([kept(object)], raiseJob(object, observed.job.value, { observed, now }));
      // The Job of a benchmark that is over may go; that is no reason to measure again.
      const last = lastLogLineOf(object);
      if (last !== undefined) return converge([], { status: last });
      const lowered = lowerBenchmark(object, observed);
      switch (lowered.is) {
        case "faulty":
          return converge([], raiseFaulty(object, formatFault(lowered.fault), now));
        case "waiting":
          return converge([], raiseWaiting(object, lowered, now));
        case "intended": {
          const given = observed.configuration?.is === "known" ? observed.configuration.value : undefined;
          const job = emitJob(planJob(object, lowered.intent, configured(benchmark, given)));
          return converge([job], raisePending(object, { fault: given?.fault, now }));
        }
      }
    },
    refused: raiseRefusedJob,
  };
}

function kept(object: BenchmarkJob): Desired {
  const metadata = { name: jobNameOf(object), namespace: object.metadata.namespace ?? "" };
  return { kind: Job, object: { apiVersion: "batch/v1", kind: "Job", metadata }, keep: true };
}
