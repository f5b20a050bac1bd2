import { setTimeout as sleep } from "node:timers/promises";
import { ApiError } from "@trivium/kube";
import type { WatchLine } from "../contract.ts";
import { type Collection, listAll, openWatch } from "./collection.ts";
import type { Places } from "./places.ts";
import { slim } from "./slim.ts";

export interface Followed extends Collection {
  readonly id: string;
  readonly resourceVersion?: string | undefined;
  /** Of the lists of one stream, each of which is in memory until the page has taken it. */
  readonly places: Places;
  /** Resolves when the page can take more. */
  send(line: WatchLine): Promise<void>;
}

const firstDelay = 500;
const longestDelay = 15_000;

/** One collection for as long as the page looks: all of it, then each change. Nothing is lost or sent twice over a break. */
export async function follow(followed: Followed): Promise<void> {
  const { signal } = followed;
  const state: State = { version: followed.resourceVersion, delay: firstDelay, isBroken: false };
  while (!signal.aborted) {
    try {
      await run(followed, state);
      // The server ends each watch after some minutes.
      state.delay = firstDelay;
    } catch (error) {
      if (signal.aborted) return;
      if (isGone(error)) state.version = undefined;
      else if (!(await report(followed, state, error))) return;
    }
    await sleep(state.delay, undefined, { signal }).catch(() => undefined);
    state.delay = Math.min(longestDelay, state.delay * 2);
  }
}

/** Tells the page once that this watch is broken; returns whether it is tried again. */
async function report({ id, send }: Followed, state: State, error: unknown): Promise<boolean> {
  const isRetried = isTransient(error);
  if (!state.isBroken || !isRetried) await send({ id, type: "ERROR", ...describe(error), isRetried });
  state.isBroken = true;
  return isRetried;
}

interface State {
  /** Everything up to it was sent. */
  version: string | undefined;
  delay: number;
  /** The page was told of a failure and not yet that it is over. */
  isBroken: boolean;
}

/** Until the watch ends or fails. */
async function run(followed: Followed, state: State): Promise<void> {
  const { id, send, places } = followed;
  if (state.version === undefined || state.version === "") {
    state.version = await places.take(() => sendList(followed));
    state.isBroken = false;
  }
  const { events } = await openWatch(followed, state.version);
  if (state.isBroken) await send({ id, type: "BOOKMARK", resourceVersion: state.version });
  state.isBroken = false;
  for await (const { type, object } of events) {
    const resourceVersion: string = object.metadata.resourceVersion ?? state.version;
    if (type === "BOOKMARK") await send({ id, type, resourceVersion });
    else await send({ id, type, object: slim(object), resourceVersion });
    state.version = resourceVersion;
    state.delay = firstDelay;
  }
}

/** Returns the version that it has. */
async function sendList(followed: Followed): Promise<string> {
  if (followed.signal.aborted) return "";
  const { items, resourceVersion } = await listAll(followed);
  await followed.send({ id: followed.id, type: "LIST", items, resourceVersion });
  return resourceVersion;
}

const isGone = (error: unknown): boolean => error instanceof ApiError && error.code === 410;

/** No answer, or one that can change without the user: a server that starts, a kind that is not installed yet. */
const isTransient = (error: unknown): boolean =>
  !(error instanceof ApiError) || ![400, 401, 403, 405, 422].includes(error.code);

function describe(error: unknown): { code: number; message: string; reason?: string } {
  if (!(error instanceof ApiError)) return { code: 0, message: "The connection to the Kubernetes API broke" };
  const { code, message, reason } = error;
  return reason === undefined ? { code, message } : { code, message, reason };
}
