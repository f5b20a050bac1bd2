import type { AnyObject } from "@trivium/kube";
import type { Instant } from "@trivium/std";

/** What the server needs from others to answer for things that are not in its store. */
export interface LogRequest {
  readonly container: string;
  readonly follow: boolean;
  readonly previous: boolean;
  readonly timestamps: boolean;
  readonly sinceSeconds?: number | undefined;
  readonly sinceTime?: string | undefined;
  readonly tailLines?: number | undefined;
  readonly limitBytes?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The log of one container of a pod, in pieces. The node agent gives it. */
export type PodLogs = (pod: AnyObject, options: LogRequest) => AsyncIterable<string>;

export interface TokenRequest {
  readonly namespace: string;
  readonly serviceAccount: string;
  readonly uid: string;
  readonly audiences: readonly string[];
  readonly expires: Instant;
}

/** Makes a bearer token for a service account that the door will accept until it expires. */
export type TokenIssuer = (request: TokenRequest) => string;
