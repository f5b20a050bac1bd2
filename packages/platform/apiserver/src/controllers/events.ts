import type { AnyObject } from "@trivium/kube";
import { type Instant, parseTime } from "@trivium/std";
import type { Backend } from "../call.ts";
import { type Key, StoreConflict } from "../store/store.ts";
import type { Worker } from "./worker.ts";

/** Events are kept for an hour after they were last written. */
const lifetime = 60 * 60_000;
/** The longest delay a timer can take. */
const longestDelay = 2 ** 31 - 1;

/** Removes old Events. One timer, set for the one that goes next. */
export function startEventExpiry(backend: Backend, log: (message: string, error?: unknown) => void): Worker {
  const { storage, registry, now } = backend;
  const resource = registry.storageOf("events");
  /** In the order in which they expire: a write moves its Event to the end. */
  const expiries = new Map<string, { key: Key; at: Instant }>();
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;

  const textOf = (key: Key): string => `${key.namespace}/${key.name}`;
  const arm = (): void => {
    const [next] = expiries.values();
    if (next === undefined || timer !== undefined || isStopped) return;
    const delay = Math.min(Math.max(next.at - now(), 0), longestDelay);
    timer = setTimeout(() => {
      timer = undefined;
      expire();
      arm();
    }, delay).unref();
  };
  const expire = (): void => {
    for (const [text, { key, at }] of expiries) {
      if (at > now()) return;
      expiries.delete(text);
      const stored = storage.store.get(key);
      if (stored === undefined || resource === undefined) continue;
      storage.remove(resource, JSON.parse(stored.text) as AnyObject, stored.revision).catch((error: unknown) => {
        if (!(error instanceof StoreConflict)) log(`cannot remove the expired event ${text}`, error);
      });
    }
  };
  storage.onCommit(({ op, resource: of, stored }) => {
    if (of !== "events") return;
    const text = textOf(stored.key);
    expiries.delete(text);
    if (op === "put") expiries.set(text, { key: stored.key, at: now() + lifetime });
    arm();
  });
  const found = Array.from(storage.store.list("events"), (stored) => ({
    key: stored.key,
    at: lastWritten(stored.text, now()) + lifetime,
  }));
  for (const expiry of found.sort((a, b) => a.at - b.at)) expiries.set(textOf(expiry.key), expiry);
  arm();
  return {
    ready: Promise.resolve(),
    isBusy: false,
    idle: async () => undefined,
    stop: () => {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}

/** As far as an Event itself says. */
function lastWritten(text: string, now: Instant): Instant {
  const event = JSON.parse(text) as AnyObject & {
    lastTimestamp?: string;
    eventTime?: string;
    series?: { lastObservedTime?: string };
  };
  const times = [
    event.series?.lastObservedTime,
    event.lastTimestamp,
    event.eventTime,
    event.metadata.creationTimestamp,
  ];
  const known = times
    .map((time) => (typeof time === "string" ? parseTime(time) : undefined))
    .filter((time) => time !== undefined);
  return known.length > 0 ? Math.max(...known) : now;
}
