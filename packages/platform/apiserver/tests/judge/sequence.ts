import type { ApiRequest } from "@trivium/kube";
import type { Json } from "@trivium/std";

/**
 * A list of API calls that both servers get. In paths and bodies `{ns}` is the sequence's own namespace and `{id}` a word of
 * its own for names outside namespaces; `$2.metadata.uid` is a value of the second step's answer.
 */
export interface Sequence {
  /** `theme/what it shows`. */
  readonly name: string;
  readonly steps: readonly Step[];
}

export type Step = CallStep | WatchStep | CollectStep | WaitStep;

/** One request and its whole answer. */
export interface CallStep extends Call {
  readonly is: "call";
}

/** A watch that is opened here and read by a later `collect` of the same name. */
export interface WatchStep extends Call {
  readonly is: "watch";
  readonly watch: string;
}

/** The events that a watch brings: as many as wanted, or all until the server ends it. */
export interface CollectStep {
  readonly is: "collect";
  readonly watch: string;
  readonly until: CollectUntil;
  /** Bookmarks come when the server likes, except the one that ends the initial events; they are left out unless wanted. */
  readonly bookmarks?: boolean;
}

/** A number of events, the event of an object of this name, a bookmark, or the end of the watch. */
export type CollectUntil = { readonly events: number } | { readonly named: string } | "bookmark" | "end";

/** Repeats a read until the answer has what is wanted: things that a server does a moment later. The answer is not compared. */
export interface WaitStep extends Call {
  readonly is: "wait";
  readonly until: (status: number, body: Json) => boolean;
  /** Milliseconds; what is there when they are over is then the answer. */
  readonly patience?: number;
}

export interface Call {
  readonly method: ApiRequest["method"];
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Text is sent as it stands, anything else as JSON. */
  readonly body?: Json;
}

export function sequence(name: string, ...steps: Step[]): Sequence {
  return { name, steps };
}

export const call = (
  method: Call["method"],
  path: string,
  body?: Json,
  headers?: Record<string, string>,
): CallStep => ({
  is: "call",
  method,
  path,
  ...(body === undefined ? {} : { body }),
  ...(headers === undefined ? {} : { headers }),
});

export const collect = (watch: string, events: number): CollectStep => ({ is: "collect", watch, until: { events } });
export const collectToEnd = (watch: string): CollectStep => ({ is: "collect", watch, until: "end" });
export const collectToBookmark = (watch: string): CollectStep => ({
  is: "collect",
  watch,
  until: "bookmark",
  bookmarks: true,
});
