import { createHash } from "node:crypto";
import type { Pool } from "undici";
import { pace, send } from "./calls.ts";
import { connect, type MeasuredServer } from "./measured-server.ts";
import { namespace } from "./services.ts";

const path = `/api/v1/namespaces/${namespace}/configmaps`;

export interface WatchLoad {
  readonly watchers: number;
  readonly events: number;
}

export interface Delivery {
  /** Milliseconds until the last write was answered. */
  readonly written: number;
  /** Milliseconds until the last watcher had the last event. */
  readonly delivered: number;
}

/** A watch ended early, or told something else than the others. A client would list anew; here it counts as lost. */
export class EventsLost extends Error {}

/** Each watcher must see every event, in order: all streams are hashed and must be the same, and one is read in full. */
export async function watches(pool: Pool, server: MeasuredServer, load: WatchLoad): Promise<Delivery> {
  const { watchers, events } = load;
  const list = JSON.parse(await send(pool, { method: "GET", path: `${path}?limit=1` })) as List;
  const watching = connect(server, watchers);
  const query = `watch=1&labelSelector=bench%3Dyes&resourceVersion=${list.metadata.resourceVersion}`;
  const streams = await Promise.all(
    Array.from({ length: watchers }, () => watching.request({ path: `${path}?${query}`, method: "GET" })),
  );
  const began = performance.now();
  const reading = streams.map((stream, at) => readEvents(stream.body, events, at === 0));
  await pace(pool, events, (at) => ({ method: "POST", path, body: configMap(`event-${at}`) }));
  const written = performance.now() - began;
  const results = await Promise.all(reading);
  const delivered = performance.now() - began;
  await watching.destroy();
  const [first] = results;
  const lost = results.filter((result) => result.count !== events || result.digest !== first?.digest).length;
  if (lost > 0 || first?.names.size !== events)
    throw new EventsLost(
      `${lost} of ${watchers} watchers did not see every event; the first saw ${first?.count} of ${events}`,
    );
  return { written, delivered };
}

interface List {
  readonly metadata: { readonly resourceVersion: string };
}

const configMap = (name: string): string =>
  JSON.stringify({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name, labels: { bench: "yes" } },
    data: { a: "b" },
  });

async function readEvents(body: AsyncIterable<Buffer>, events: number, isParsed: boolean) {
  const hash = createHash("sha1");
  const names = new Set<string>();
  let count = 0;
  let rest = "";
  for await (const chunk of body) {
    hash.update(chunk);
    for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, at + 1)) count++;
    if (isParsed) {
      const lines = (rest + chunk.toString("utf8")).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) names.add(JSON.parse(line).object.metadata.name);
    }
    if (count >= events) break;
  }
  return { count, names, digest: hash.digest("hex") };
}
