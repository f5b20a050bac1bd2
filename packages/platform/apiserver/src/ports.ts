import type { AnyObject } from "@trivium/kube";
import type { FieldError } from "@trivium/schema";
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

export type { PodStreams } from "./streaming/pod-streams.ts";

export interface TokenRequest {
  readonly namespace: string;
  readonly serviceAccount: string;
  readonly uid: string;
  readonly audiences: readonly string[];
  readonly issued: Instant;
  readonly expires: Instant;
  readonly bound?: BoundObject | undefined;
}

/** The object with which a token ends, before its time. */
export interface BoundObject {
  readonly kind: "Pod" | "Secret";
  readonly name: string;
  readonly uid: string;
}

/** What a token says of itself. */
export interface AccountToken extends TokenRequest {
  readonly id: string;
}

/** Bearer tokens of service accounts. Whether account and bound object are still there is for the server to see. */
export interface AccountTokens {
  issue(request: TokenRequest): string;
  /** Undefined for a text that is not a token of ours. Equal tokens give the same object, as long as they are used. */
  read(token: string): AccountToken | undefined;
}

/** A write that is about to be stored; of a deletion, the object as it is stored. */
export interface AdmittedWrite {
  readonly verb: "create" | "update" | "delete";
  readonly object: AnyObject;
  readonly old?: AnyObject | undefined;
}

/**
 * Asked about every object before it is stored, beyond what its kind says, where a cluster would ask webhooks. Synchronous, because nobody may
 * write between reading and storing.
 */
export interface AdmissionPort {
  /** The object with what was left out. Its labels, annotations and spec are taken over. */
  fill(of: ObjectKind, write: AdmittedWrite): object;
  judge(
    of: ObjectKind,
    write: AdmittedWrite,
  ): { readonly faults: readonly FieldError[]; readonly warnings: readonly string[] };
}

export interface ObjectKind {
  readonly group: string;
  readonly kind: string;
}
