/** What a list shows of a service, as its spec and its status have it. */
export interface ServiceSummary {
  /** What was chosen to run it: a template, a runtime. */
  readonly profile?: string | undefined;
  /** Absent where the API reports no numbers. */
  readonly replicas?: ReplicaCount | undefined;
}

export interface ReplicaCount {
  readonly ready: number;
  readonly desired: number;
}
