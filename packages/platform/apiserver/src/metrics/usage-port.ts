import type { Instant, Millis } from "@trivium/std";

/** What pods and nodes use now, for `kubectl top`. The node agent gives it; without it there is no metrics API. */
export type UsagePort = () => Promise<UsageReport>;

export interface UsageReport {
  readonly containers: readonly ContainerMetrics[];
  readonly nodes: readonly NodeMetrics[];
}

export interface Usage {
  readonly at: Instant;
  /** The time over which the use of processors was measured. */
  readonly window: Millis;
  readonly milliProcessors: number;
  readonly memoryBytes: number;
}

export interface ContainerMetrics extends Usage {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
}

export interface NodeMetrics extends Usage {
  readonly node: string;
}
