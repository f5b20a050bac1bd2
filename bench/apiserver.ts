import { createHash } from "node:crypto";
import { aim } from "@trivium/aim";
import { apiVersionOf } from "@trivium/kube";
import type { Pool } from "undici";
import { printTable, seconds } from "./support/table.ts";
import { connect, type Running, startTrivium } from "./support/trivium-process.ts";

/**
 * Speed and memory of what `npm start` runs, over TLS, with every kind of the three dialects. The program is a process of its
 * own, started from the bundle that is shipped; this one is its clients. `--profile DIR` leaves a CPU profile of it there.
 */
const parallel = 16;
const stored = 10_000;
const watchers = 100;
const events = 5_000;

const path = "/apis/aim.silogen.ai/v1alpha1/namespaces/default/aimservices";
const mapPath = "/api/v1/namespaces/default/configmaps";
const headers = { "content-type": "application/json" };

await measure();

async function measure(): Promise<void> {
  const profile = process.argv.indexOf("--profile");
  const flags = profile === -1 ? [] : ["--cpu-prof", `--cpu-prof-dir=${process.argv[profile + 1]}`];
  const first = await startTrivium({ flags: [] });
  const firstMemory = await idleMemory(first);
  await first.stop();
  const running = await startTrivium({ flags, home: first.home });
  const rows: [string, string, string][] = [
    ["first start to ready, all CRDs written", seconds(first.startedIn), "at most 1.5 s"],
    ["idle memory after the first start", firstMemory, "at most 160 MB"],
    ["later start to ready", seconds(running.startedIn), "at most 1.5 s"],
    ["idle memory after a later start", await idleMemory(running), "at most 160 MB"],
  ];
  try {
    const pool = await connect(running, parallel);
    rows.push(["durable creates of 2 KB, 16 clients", await creates(pool), "at least 2,000/s"]);
    const count = stored.toLocaleString("en");
    rows.push([`memory with ${count} AIMServices`, await idleMemory(running), "at most 350 MB"]);
    rows.push([`list of ${count}`, await lists(pool), "at most 0.5 s"]);
    rows.push([
      `${watchers} watchers, ${events.toLocaleString("en")} events`,
      await watches(pool, running),
      "none lost",
    ]);
    await pool.close();
  } finally {
    await running.stop();
    running.removeHome();
  }
  printTable(rows);
}

/** A moment after the last work, as a person would see it. */
async function idleMemory(running: Running): Promise<string> {
  await new Promise((resolve) => setTimeout(resolve, 3000));
  return `${(running.memory() / 1e6).toFixed(0)} MB`;
}

/** Every answer means that the object is on the disk. */
async function creates(pool: Pool): Promise<string> {
  const latencies: number[] = [];
  let next = 0;
  const began = performance.now();
  await Promise.all(
    Array.from({ length: parallel }, async () => {
      while (next < stored) {
        const body = service(next++);
        const at = performance.now();
        const answer = await pool.request({ path, method: "POST", headers, body });
        const text = await answer.body.text();
        if (answer.statusCode !== 201) throw new Error(text);
        latencies.push(performance.now() - at);
      }
    }),
  );
  const rate = stored / ((performance.now() - began) / 1000);
  latencies.sort((a, b) => a - b);
  const percentile = (share: number) => `${(latencies[Math.floor(latencies.length * share)] ?? 0).toFixed(1)} ms`;
  return `${Math.round(rate).toLocaleString("en")}/s, p50 ${percentile(0.5)}, p99 ${percentile(0.99)}`;
}

function service(at: number): string {
  const kind = aim.kinds.find((one) => one.kind === "AIMService");
  if (kind === undefined) throw new Error("there is no AIMService");
  const env = Array.from({ length: 16 }, (_, index) => ({ name: `SETTING_${index}`, value: `${"x".repeat(60)}${at}` }));
  return JSON.stringify({
    apiVersion: apiVersionOf(kind),
    kind: kind.kind,
    metadata: {
      name: `service-${at}`,
      labels: { app: "bench", shard: String(at % 10) },
      annotations: { note: "n".repeat(200) },
    },
    spec: { model: { ref: "bench-model" }, replicas: 1, env },
  });
}

async function lists(pool: Pool): Promise<string> {
  const times: number[] = [];
  let bytes = 0;
  for (let round = 0; round < 5; round++) {
    const began = performance.now();
    const answer = await pool.request({ path, method: "GET", headers });
    const body = Buffer.from(await answer.body.arrayBuffer());
    times.push(performance.now() - began);
    bytes = body.length;
    const count = (JSON.parse(body.toString("utf8")) as { items: unknown[] }).items.length;
    if (count !== stored) throw new Error(`${count} objects were listed`);
  }
  times.sort((a, b) => a - b);
  return `${seconds(times[2] ?? 0)} (first bytes to last, ${(bytes / 1e6).toFixed(1)} MB)`;
}

/** Each watcher must see every event, in order: all streams are hashed and must be the same, and one is read in full. */
async function watches(pool: Pool, running: Running): Promise<string> {
  const list = await pool.request({ path: `${mapPath}?limit=1`, method: "GET", headers });
  const { metadata } = (await list.body.json()) as { metadata: { resourceVersion: string } };
  const watching = await connect(running, watchers);
  const query = `watch=1&labelSelector=bench%3Dyes&resourceVersion=${metadata.resourceVersion}`;
  const streams = await Promise.all(
    Array.from({ length: watchers }, () => watching.request({ path: `${mapPath}?${query}`, method: "GET", headers })),
  );
  const began = performance.now();
  const reading = streams.map((stream, at) => readEvents(stream.body, at === 0));
  let next = 0;
  const writing = Array.from({ length: parallel }, async () => {
    while (next < events) {
      const name = `event-${next++}`;
      const body = JSON.stringify({
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: { name, labels: { bench: "yes" } },
        data: { a: "b" },
      });
      const answer = await pool.request({ path: mapPath, method: "POST", headers, body });
      const text = await answer.body.text();
      if (answer.statusCode !== 201) throw new Error(text);
    }
  });
  await Promise.all(writing);
  const written = performance.now() - began;
  const results = await Promise.all(reading);
  const took = performance.now() - began;
  await watching.destroy();
  const [first] = results;
  const lost = results.filter((result) => result.count !== events || result.digest !== first?.digest).length;
  if (lost > 0 || first?.names.size !== events) throw new Error(`${lost} watchers did not see every event`);
  const rate = Math.round((watchers * events) / (took / 1000)).toLocaleString("en");
  return `none lost; written in ${seconds(written)}, all delivered in ${seconds(took)} (${rate} events/s)`;
}

async function readEvents(body: AsyncIterable<Buffer>, isParsed: boolean) {
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
