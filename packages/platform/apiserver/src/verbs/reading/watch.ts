import type { ApiResponse } from "@trivium/kube";
import type { Call } from "../../call.ts";
import { integerOf } from "../../options.ts";
import { expired } from "../../refusals.ts";
import { storeName } from "../../registry.ts";
import { isTrue } from "../../request.ts";
import { respondStream } from "../../respond.ts";
import { type Stored, type StoreEvent, StoreGone } from "../../store/store.ts";
import { type Selection, selectionOf } from "../../view/selection.ts";
import { viewOf } from "../../view/view.ts";
import { EventLines } from "./event-lines.ts";
import { LineQueue } from "./line-queue.ts";
import { readPage } from "./list.ts";
import { type VersionOptions, versionOptions } from "./list-options.ts";

/** Watches end after half an hour to an hour when the caller does not say, so that clients spread over servers and time. */
const shortestWatch = 1800;
/** The longest delay a timer can take. */
const longestDelay = 2 ** 31 - 1;

export async function watch(call: Call): Promise<ApiResponse> {
  const view = viewOf(call, "watch");
  const selection = watchSelection(call);
  const request = versionOptions(call, true);
  const queue = new LineQueue(call.backend.turns);
  const lines = new EventLines(view, queue);
  const from = startOf(call, selection, { request, lines });
  // What the initial events show must be on the disk before it is told.
  await call.backend.storage.store.settled();
  follow(call, selection, { lines, queue, from });
  return respondStream(call, queue);
}

/** A watch at the path of one object is a watch of the collection, narrowed to its name. */
function watchSelection(call: Call): Selection {
  const selection = selectionOf(call.resource, call.namespace, call.query);
  if (call.name === "") return selection;
  const matches = (stored: Stored) => stored.key.name === call.name && selection.matches(stored);
  return { ...selection, name: call.name, isAll: false, matches };
}

interface Start {
  readonly request: VersionOptions;
  readonly lines: EventLines;
}

/** Sends what is there, where that was asked for, and returns the revision to follow from. */
function startOf(call: Call, selection: Selection, { request, lines }: Start): number {
  const { storage } = call.backend;
  const { resourceVersion = 0, sendInitialEvents } = request;
  const wantsState = sendInitialEvents ?? resourceVersion === 0;
  if (!wantsState) return resourceVersion === 0 ? storage.newest : resourceVersion;
  const revision = storage.newest;
  const { items } = readPage(call, selection, {
    ...request,
    match: "",
    resourceVersion: undefined,
    limit: 0,
    continue: "",
  });
  for (const stored of items) lines.add("ADDED", stored);
  if (sendInitialEvents === true && isTrue(call.query.get("allowWatchBookmarks"))) lines.addInitialEventsEnd(revision);
  return revision;
}

interface Following {
  readonly lines: EventLines;
  readonly queue: LineQueue;
  readonly from: number;
}

function follow(call: Call, selection: Selection, { lines, queue, from }: Following): void {
  const { store } = call.backend.storage;
  const wantsBookmarks = isTrue(call.query.get("allowWatchBookmarks"));
  const listener = {
    event: (event: StoreEvent) => pass(event, selection, lines),
    ...(wantsBookmarks ? { progress: (revision: number) => lines.addBookmark(revision) } : {}),
    ended: (why: Error) => {
      if (why instanceof StoreGone) lines.addError(goneStatus(why));
      queue.end();
    },
  };
  const namespace =
    call.resource.namespaced && selection.namespace !== undefined ? { namespace: selection.namespace } : {};
  try {
    const unwatch = store.watch(storeName(call.resource), { after: from, ...namespace }, listener);
    queue.onEnd(unwatch);
  } catch (error) {
    if (!(error instanceof StoreGone)) throw error;
    lines.addError(goneStatus(error));
    queue.end();
    return;
  }
  const open = { resource: storeName(call.resource), end: () => queue.end() };
  call.backend.watches.add(open);
  queue.onEnd(() => call.backend.watches.delete(open));
  endInTime(call, queue);
}

/** Objects come and go for a watcher as they enter and leave its selection. */
function pass(event: StoreEvent, selection: Selection, lines: EventLines): void {
  if (selection.isAll) {
    lines.addEvent(event, event.type);
    return;
  }
  const isIn = selection.matches(event.object);
  const wasIn = event.previous !== undefined && selection.matches(event.previous);
  if (event.type === "DELETED") {
    if (wasIn || isIn) lines.addEvent(event, "DELETED");
  } else if (isIn) lines.addEvent(event, wasIn ? "MODIFIED" : "ADDED");
  else if (wasIn) lines.addEvent(event, "DELETED");
}

function endInTime(call: Call, queue: LineQueue): void {
  const asked = integerOf(call.query, "timeoutSeconds");
  const seconds = asked ?? Math.floor(shortestWatch * (1 + Math.random()));
  const timer = setTimeout(() => queue.end(), Math.min(Math.max(seconds, 0) * 1000, longestDelay));
  // A caller that names a time waits for it; nobody waits for ours.
  if (asked === undefined) timer.unref();
  const { signal } = call.request;
  const stop = () => queue.abandon();
  signal?.addEventListener("abort", stop, { once: true });
  if (signal?.aborted) stop();
  queue.onEnd(() => {
    clearTimeout(timer);
    signal?.removeEventListener("abort", stop);
  });
}

const goneStatus = (why: StoreGone) => expired(why.message).status;
