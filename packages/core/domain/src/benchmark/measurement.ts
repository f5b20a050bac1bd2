import type { JsonObject } from "@trivium/std";
import type { Failure } from "../health/failure.ts";
import type { ObservedPod } from "../health/observed-pod.ts";
import type { FieldPaths } from "../serving/field-paths.ts";
import type { JobPlan } from "../serving/job-plan.ts";

/**
 * One benchmark, in the words that all dialects share: what an object requests, and what is observed of its run. A dialect's `lower` fills
 * it with the names of its reasons; `measure` in the engines decides.
 */
export interface MeasurementIntent<R extends string = string> {
  /** The run, once its Job exists. From then on nothing else decides. */
  readonly run?: RunObserved | undefined;
  /** The result of this very request was reported before, and its Job is deleted since. */
  readonly isOver: boolean;
  /** What is to be run, or why nothing can be. */
  readonly request: MeasurementRequest<R>;
  /** Where the user writes what a remedy names. */
  readonly paths: FieldPaths;
}

export type MeasurementRequest<R extends string = string> =
  | { readonly is: "faulty"; readonly message: string }
  | ({ readonly is: "waiting" } & AwaitedTarget<R>)
  | { readonly is: "runnable"; readonly job: JobPlan };

/** What must exist or be ready before anything can be measured. */
export interface AwaitedTarget<R extends string = string> {
  readonly reason: R;
  readonly message: string;
  /** Why it is not ready: changes while it is awaited, so no event repeats it. */
  readonly why?: string | undefined;
}

/** The Job that measures, and its pods. */
export interface RunObserved {
  readonly pods: readonly ObservedPod[];
  /** Why the Job cannot create its pod. */
  readonly refused?: Failure | undefined;
  readonly ended?: { readonly how: "complete" | "failed"; readonly message: string } | undefined;
  readonly summary?: RunSummary | undefined;
}

/** What a load generator leaves behind. */
export interface RunSummary {
  readonly requests: number;
  readonly answered: number;
  readonly failure?: string;
  /** Throughput and times of the best run, passed on unchanged. */
  readonly best?: JsonObject;
}

/** What `measure` comes to, the same for every dialect. */
export type Measured<R extends string = string> =
  /** A fact is missing: hold. */
  | { readonly is: "unresolved" }
  /** The result that was reported before stands. */
  | { readonly is: "over" }
  | { readonly is: "blocked"; readonly message: string }
  | { readonly is: "waiting"; readonly target: AwaitedTarget<R> }
  | { readonly is: "planned"; readonly job: JobPlan }
  | {
      readonly is: "underway";
      /** A pod runs, or has run. */
      readonly isRunning: boolean;
      /** What keeps it from running: a sentence, and whether it can pass without anybody. */
      readonly trouble?: { readonly message: string; readonly isPassing: boolean } | undefined;
    }
  | { readonly is: "completed"; readonly summary: RunSummary | undefined }
  | { readonly is: "failed"; readonly message: string; readonly summary: RunSummary | undefined };
