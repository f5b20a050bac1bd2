/** One server behind a Service that can be sent requests. */
export interface Replica {
  /** Host and port as in a URL: unique among all replicas of a machine or cluster. */
  readonly authority: string;
  /** Name of the pod, where it is one. */
  readonly pod?: string | undefined;
}
