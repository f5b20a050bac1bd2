import type { Millis } from "@trivium/std";

/** How much of everything a stranger may use. */
export interface Limits {
  /** Bytes of all headers of a request together. */
  readonly headerBytes: number;
  readonly urlBytes: number;
  /** Bytes of a request body that must be read whole to learn which model is meant. */
  readonly bodyBytes: number;
  readonly connections: number;
  /** How long a client may take to send its headers, and its whole request. */
  readonly headersTimeout: Millis;
  readonly requestTimeout: Millis;
  readonly keepAliveTimeout: Millis;
  readonly connectTimeout: Millis;
  /** Requests held for one Service and for all, and the bytes they may keep in memory. */
  readonly heldPerModel: number;
  readonly held: number;
  readonly heldBytes: number;
  /** How long a request is held. */
  readonly holdDeadline: Millis;
  /** How long a pod may be unschedulable before requests that wait for it fail. */
  readonly unschedulableGrace: Millis;
}

export const defaultLimits: Limits = {
  headerBytes: 32 * 1024,
  urlBytes: 8 * 1024,
  bodyBytes: 64 * 1024 * 1024,
  connections: 10_000,
  headersTimeout: 15_000,
  requestTimeout: 120_000,
  keepAliveTimeout: 65_000,
  connectTimeout: 3_000,
  heldPerModel: 200,
  held: 1_000,
  heldBytes: 256 * 1024 * 1024,
  holdDeadline: 600_000,
  unschedulableGrace: 15_000,
};
