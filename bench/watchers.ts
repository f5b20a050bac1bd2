import { loadavg } from "node:os";
import type { Readable } from "node:stream";
import { makeNamespace, send } from "./support/calls.ts";
import { connect, idleMemory } from "./support/measured-server.ts";
import { namespace } from "./support/services.ts";
import { megabytes, printTable } from "./support/table.ts";
import { startTrivium } from "./support/trivium-process.ts";

/** Memory of what `npm start` runs while many clients watch ConfigMaps over TLS, each on a connection of its own, and each gets 20 events. */
const watchers = Number(process.argv[2] ?? 2_500);
const events = 20;
const path = `/api/v1/namespaces/${namespace}/configmaps`;

const server = await startTrivium({ flags: [] });
const writer = connect(server, 1);
const watching = connect(server, watchers);
try {
  await makeNamespace(writer);
  const load = loadavg()[0]?.toFixed(1);
  const idle = await idleMemory(server);
  const watch = { path: `${path}?watch=1&resourceVersion=0&labelSelector=bench`, method: "GET" } as const;
  const streams: Awaited<ReturnType<typeof watching.request>>[] = [];
  // Some at a time: thousands of TLS handshakes at once would run into the limit of their time.
  while (streams.length < watchers) {
    const count = Math.min(50, watchers - streams.length);
    streams.push(...(await Promise.all(Array.from({ length: count }, () => watching.request(watch)))));
  }
  const watched = await idleMemory(server);
  const reading = Promise.all(streams.map(({ body }) => awaitEvents(body)));
  for (let at = 0; at < events; at += 1) {
    const metadata = { name: `event-${at}`, labels: { bench: "yes" } };
    const body = JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata, data: { at: String(at) } });
    await send(writer, { method: "POST", path, body });
  }
  await reading;
  const after = await idleMemory(server);
  for (const { body } of streams) body.removeAllListeners().on("error", () => {});
  await watching.destroy();
  const closed = await idleMemory(server);
  printTable([
    [`load ${load}`, "memory", "a watcher"],
    ["idle", megabytes(idle), ""],
    [`with ${watchers} watchers`, megabytes(watched), `${Math.round((watched - idle) / watchers / 1000)} KB`],
    [`after ${events} events to each`, megabytes(after), `${Math.round((after - idle) / watchers / 1000)} KB`],
    ["all closed", megabytes(closed), ""],
  ]);
} finally {
  await Promise.all([writer.destroy(), watching.destroy()]);
  await server.stop();
  server.removeHome();
}

/** The stream stays open. */
function awaitEvents(body: Readable): Promise<void> {
  let count = 0;
  return new Promise((resolve, reject) => {
    body.on("data", (piece: Buffer) => {
      for (let at = piece.indexOf(10); at !== -1; at = piece.indexOf(10, at + 1)) count += 1;
      if (count >= events) resolve();
    });
    body.on("error", reject);
    body.on("end", () => reject(new Error(`a watch ended after ${count} of ${events} events`)));
  });
}
