/** What whoever runs the operator decides for all benchmarks. */
export interface BenchmarkOptions {
  /** The image with genai-bench; a node without containers runs its own load generator for it. */
  readonly image: string;
  /** Sending load is mostly waiting: little is asked for, and more may be taken. */
  readonly requests: Partial<Resources>;
  readonly limits: Partial<Resources>;
  /** How long a finished Job stays, in seconds. What it found stays in the status. */
  readonly ttlSeconds: number;
}

export interface Resources {
  readonly cpu: string;
  readonly memory: string;
}

export const benchmarkDefaults: BenchmarkOptions = {
  image: "ghcr.io/moirai-internal/genai-bench:0.1.113",
  requests: { cpu: "500m", memory: "512Mi" },
  limits: { cpu: "2", memory: "2Gi" },
  ttlSeconds: 7 * 24 * 3600,
};
