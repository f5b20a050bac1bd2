import type { Status, StatusReason } from "@trivium/kube";

/**
 * What becomes of one write: it is turned away as a lost race (409), for being one too many (429) or for a fault of the server
 * (500), or it is carried out and only its answer is replaced by a 500.
 */
export type ProxyFault = "conflict" | "too-many" | "broken" | "lost-answer";

/** What becomes of every call: the server is overloaded (503), has too many requests (429), or does not allow it (403). */
export type Refused = "unavailable" | "too-many" | "forbidden";

/** Says for one write after the other what goes wrong with it, if anything. */
export type FaultPlan = () => ProxyFault | undefined;

export interface FaultPlanOptions {
  readonly seed: number;
  /** The share of writes that go wrong, from 0 to 1. */
  readonly rate: number;
  /** After so many faults nothing goes wrong any more. */
  readonly most: number;
}

const kinds: readonly ProxyFault[] = ["conflict", "too-many", "broken", "lost-answer"];

/** The same seed gives the same plan. Kinds take turns, so that few faults show all of them. */
export function planFaults({ seed, rate, most }: FaultPlanOptions): FaultPlan {
  const random = seededRandom(seed);
  let count = 0;
  return () => {
    if (count >= most || random() >= rate) return undefined;
    count += 1;
    return kinds[(count - 1) % kinds.length];
  };
}

/** Numbers in [0, 1) that look random and are the same for the same seed (mulberry32). */
function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export interface FaultAnswer {
  readonly code: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const json = { "content-type": "application/json" };

/** What the caller is told, in the form of a real server. */
export function answerOf(fault: ProxyFault | Refused): FaultAnswer {
  switch (fault) {
    case "conflict":
      return { code: 409, headers: json, body: statusOf(409, "Conflict", "the object has been modified; try again") };
    case "too-many": {
      const body = statusOf(429, "TooManyRequests", "the server has received too many requests");
      return { code: 429, headers: { ...json, "retry-after": "1" }, body };
    }
    case "unavailable": {
      const body = statusOf(503, "ServiceUnavailable", "the server is currently unable to handle the request");
      return { code: 503, headers: json, body };
    }
    case "forbidden":
      return { code: 403, headers: json, body: statusOf(403, "Forbidden", "the user cannot do this") };
    case "broken":
    case "lost-answer":
      return { code: 500, headers: json, body: statusOf(500, "InternalError", "an error on the server") };
  }
}

function statusOf(code: number, reason: StatusReason, message: string): string {
  const status: Status = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", message, reason, code };
  return JSON.stringify(status);
}
