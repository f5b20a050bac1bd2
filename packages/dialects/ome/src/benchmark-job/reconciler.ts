import type { Measured } from "@trivium/domain";
import { emitJob, keepObject } from "@trivium/emitters";
import { measure } from "@trivium/engines";
import { Job } from "@trivium/kube";
import { type Decision, type Desired, hasUnresolved, type Reconciler } from "@trivium/reconcile";
import { BenchmarkJob as Kind } from "../kinds/benchmark-job.ts";
import type { OmeOptions } from "../options.ts";
import { benchmarkEvents } from "./events.ts";
import { lowerBenchmark } from "./lower.ts";
import { jobNameOf } from "./names/job-name.ts";
import { benchmarkReads, type ObservedBenchmark, observeBenchmark } from "./observe.ts";
import type { BenchmarkJob } from "./pod/check-spec.ts";
import { type BenchmarkOptions, benchmarkDefaults } from "./pod/options.ts";
import { raiseBenchmark, type Status } from "./raise.ts";
import { raiseRefusedJob } from "./status/refused.ts";

/** A benchmark is one Job. Once it exists, it alone decides the state of the benchmark; it is deleted with its owner. */
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
      const hold = { do: "hold", status: object.status ?? { state: "Pending" } } as const;
      if (hasUnresolved(observed)) return hold;
      const measured = measure(lowerBenchmark(object, observed, benchmark));
      if (measured.is === "unresolved") return hold;
      return {
        do: "converge",
        children: childrenOf(object, measured, observed),
        status: raiseBenchmark(object, measured, { observed, now }),
        notes: benchmarkEvents(object, measured, observed),
      };
    },
    refused: raiseRefusedJob,
  };
}

/** What it was started with is what the results are about: the Job stays unchanged. */
function childrenOf(object: BenchmarkJob, measured: Measured, { jobName }: ObservedBenchmark): Desired[] {
  if (measured.is === "planned") return [emitJob(measured.job)];
  const isRun = measured.is === "underway" || measured.is === "completed" || measured.is === "failed";
  const { namespace = "" } = object.metadata;
  return isRun ? [keepObject(Job, { name: jobName ?? jobNameOf(object), namespace })] : [];
}
