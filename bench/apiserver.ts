import { type ChildProcess, fork } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { aim } from "@trivium/aim";
import { builtInResources, createApi, loadOrCreateIdentity, openStore, serveHttps } from "@trivium/apiserver";
import { apiVersionOf, emitCrd } from "@trivium/kube";
import { llmkube } from "@trivium/llmkube";
import { ome } from "@trivium/ome";
import type { Pool } from "undici";

/**
 * Speed and memory of the embedded API server over TLS, with every kind of the three dialects. The server is a process of
 * its own, so that its memory can be told, and bundled as it is shipped; this one is its clients.
 * `--profile DIR` leaves a CPU profile of the server there.
 */
const parallel = 16;
const stored = 10_000;
const watchers = 100;
const events = 5_000;

const path = "/apis/aim.silogen.ai/v1alpha1/namespaces/default/aimservices";
const mapPath = "/api/v1/namespaces/default/configmaps";

interface Started {
  readonly url: string;
  readonly token: string;
  readonly authority: string;
}

/** The server's side: starts, tells where it is, and answers questions about itself until it is left alone. */
async function serve(folder: string): Promise<void> {
  const identity = await loadOrCreateIdentity(join(folder, "identity"));
  const store = await openStore({ directory: join(folder, "data") });
  const api = createApi({ store, resources: builtInResources() });
  await api.ready;
  const transport = api.transport({ user: "bench", groups: ["system:masters"] });
  const headers = { "content-type": "application/json" };
  for (const kind of [aim, ome, llmkube].flatMap((dialect) => dialect.kinds)) {
    const crd = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    const answer = await transport({ method: "POST", path: crd, headers, body: JSON.stringify(emitCrd(kind)) });
    if (answer.status !== 201) throw new Error(`${kind.kind} was not taken: ${String(answer.body)}`);
  }
  await api.idle();
  const server = await serveHttps(api, { identity });
  process.on("message", () => process.send?.({ rss: process.memoryUsage.rss() }));
  process.on("disconnect", async () => {
    await server.close();
    await api.close();
    await store.close();
    process.exit();
  });
  process.send?.({ url: server.url, token: identity.token, authority: identity.authority } satisfies Started);
}

async function measure(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "trivium-bench-"));
  const profile = process.argv.indexOf("--profile");
  const execArgv = profile === -1 ? [] : ["--cpu-prof", `--cpu-prof-dir=${process.argv[profile + 1]}`];
  const program = await bundle(folder);
  const began = performance.now();
  const server = fork(program, ["serve", folder], { execArgv });
  const rows: [string, string, string][] = [];
  try {
    const [started] = (await once(server, "message")) as [Started];
    rows.push(["start with all CRDs, new data", `${seconds(performance.now() - began)}`, ""]);
    const pool = await poolOf(started, parallel);
    await pause(2000);
    rows.push(["idle memory", await memoryOf(server), "at most 160 MB"]);
    rows.push(["creates of 2 KB, 16 clients", await creates(pool, started), "at least 2,000/s"]);
    await pause(2000);
    rows.push([`memory with ${stored.toLocaleString("en")} AIMServices`, await memoryOf(server), "at most 350 MB"]);
    rows.push([`list of ${stored.toLocaleString("en")}`, await lists(pool, started), "at most 0.5 s"]);
    rows.push([
      `${watchers} watchers, ${events.toLocaleString("en")} events`,
      await watches(pool, started),
      "none lost",
    ]);
    rows.push(["memory afterwards", await memoryOf(server), ""]);
    await pool.close();
  } finally {
    server.disconnect();
    await once(server, "exit");
    await rm(folder, { recursive: true, force: true });
  }
  print(rows);
}

/** This file as one script: sources take longer to start and more memory to run. */
async function bundle(folder: string): Promise<string> {
  const { build } = await import("esbuild");
  const outfile = join(folder, "server.mjs");
  const banner = { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" };
  const target = { platform: "node", format: "esm", target: "node24" } as const;
  await build({
    entryPoints: [import.meta.filename],
    bundle: true,
    outfile,
    banner,
    external: ["esbuild", "undici"],
    ...target,
  });
  return outfile;
}

async function poolOf({ url, authority }: Started, connections: number): Promise<Pool> {
  const { Pool } = await import("undici");
  const connect = { ca: authority, servername: "localhost" };
  return new Pool(url, { connections, connect, pipelining: 1, bodyTimeout: 0, headersTimeout: 0 });
}

const headersOf = ({ token }: Started) => ({ authorization: `Bearer ${token}`, "content-type": "application/json" });

async function memoryOf(server: ChildProcess): Promise<string> {
  server.send("memory");
  const [{ rss }] = (await once(server, "message")) as [{ rss: number }];
  return `${(rss / 1e6).toFixed(0)} MB`;
}

/** Every answer means that the object is on the disk. */
async function creates(pool: Pool, started: Started): Promise<string> {
  const headers = headersOf(started);
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

async function lists(pool: Pool, started: Started): Promise<string> {
  const times: number[] = [];
  let bytes = 0;
  for (let round = 0; round < 5; round++) {
    const began = performance.now();
    const answer = await pool.request({ path, method: "GET", headers: headersOf(started) });
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
async function watches(pool: Pool, started: Started): Promise<string> {
  const headers = headersOf(started);
  const list = await pool.request({ path: `${mapPath}?limit=1`, method: "GET", headers });
  const { metadata } = (await list.body.json()) as { metadata: { resourceVersion: string } };
  const watching = await poolOf(started, watchers);
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

const seconds = (milliseconds: number) => `${(milliseconds / 1000).toFixed(2)} s`;
const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

function print(rows: [string, string, string][]): void {
  const widths = [0, 1].map((column) => Math.max(...rows.map((row) => (row[column] as string).length)));
  for (const [what, value, wanted] of rows) {
    console.log(`${what.padEnd(widths[0] as number)}  ${value.padEnd(widths[1] as number)}  ${wanted}`.trimEnd());
  }
}

if (process.argv[2] === "serve") await serve(process.argv[3] as string);
else await measure();
