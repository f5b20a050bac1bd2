import type { Backend } from "@trivium/domain";
import type { Workload } from "@trivium/engines";
import type { MetricObjectWithValues, MetricValue } from "prom-client";

/** What a worker asks of the process that started it, which alone scales workloads. */
export type LeadCalls = {
  readonly ready: { readonly input: { readonly url: string }; readonly output: unknown };
  readonly failed: { readonly input: { readonly message: string }; readonly output: unknown };
  readonly wake: { readonly input: Workload; readonly output: unknown };
  readonly freeSpace: { readonly input: Backend; readonly output: "making" | "nobody" };
};

/** What is asked of a worker. */
export type WorkerCalls = {
  readonly activity: { readonly input: undefined; readonly output: readonly Activity[] };
  /** Sends these backends no more requests; false, and nothing changes, when one has some. */
  readonly close: { readonly input: Closing; readonly output: boolean };
  readonly open: { readonly input: { readonly key: string }; readonly output: unknown };
  readonly metrics: { readonly input: undefined; readonly output: Figures };
  readonly stop: { readonly input: undefined; readonly output: unknown };
};

/** What one worker knows of the use of a backend. */
export interface Activity {
  readonly backend: Backend;
  readonly requests: number;
  readonly lastUsed: number | undefined;
}

export interface Closing {
  /** The object that is scaled to zero. */
  readonly key: string;
  readonly backends: readonly Backend[];
}

/** The metrics of a process, as plain data. */
export type Figures = readonly MetricObjectWithValues<MetricValue<string>>[];
