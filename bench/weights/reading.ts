/**
 * Headers of models: `node bench/weights/reading.ts`. A GGUF file with a header of about 7.8 MB (151,936 words), from disk and over
 * ranges of a server on loopback, ours beside the Hub's own reader. Ends by itself in a few seconds.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gguf } from "@huggingface/gguf";
import { createHttpClient, openDiskSource, openRemoteSource, readGguf, resolveModel } from "@trivium/weights";
import { largeHeader } from "../../packages/platform/weights/tests/files/write-gguf.ts";
import { printTable } from "../support/table.ts";

const rounds = 9;
const directory = mkdtempSync(join(tmpdir(), "trivium-bench-"));
const path = join(directory, "large.gguf");
const content = largeHeader(151_936, 400);
const headerBytes = content.length - 400 * 576;
const traffic = { requests: 0, bytes: 0 };
const server = createServer(answer);

try {
  writeFileSync(path, content);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/large.gguf`;
  printTable([
    [`header of ${(headerBytes / 1e6).toFixed(1)} MB`, "median", "fastest", "requests", "sent"],
    ["from disk, ours, all of it", ...(await timed(oursFromDisk))],
    ["from disk, @huggingface/gguf", ...(await timed(() => gguf(path, { allowLocalFile: true })))],
    ["over ranges, ours, facts", ...(await timed(() => oursOverRanges(url, "facts")))],
    ["over ranges, ours, all of it", ...(await timed(() => oursOverRanges(url, "whole")))],
    ["over ranges, @huggingface/gguf", ...(await timed(() => gguf(url)))],
  ]);
} finally {
  server.closeAllConnections();
  server.close();
  rmSync(directory, { recursive: true, force: true });
}

async function oursFromDisk(): Promise<void> {
  const source = await openDiskSource(path);
  await readGguf(source);
  await source.close();
}

async function oursOverRanges(url: string, depth: "facts" | "whole"): Promise<void> {
  const client = createHttpClient({ environment: {}, addresses: "any" });
  const { signal } = new AbortController();
  const retry = { attempts: 1, firstDelayMs: 1, maxDelayMs: 1 };
  const { files } = await resolveModel(url, { client, environment: {}, fileRoots: [], include: [], retry, signal });
  const [file] = files;
  if (file === undefined) throw new Error("the server has no file");
  const source = openRemoteSource(file, signal);
  await readGguf(source, { depth });
  await source.close();
  await client.close();
}

/** Milliseconds, and what the server saw of one round. */
async function timed(work: () => Promise<unknown>): Promise<string[]> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    Object.assign(traffic, { requests: 0, bytes: 0 });
    const startedAt = performance.now();
    await work();
    times.push(performance.now() - startedAt);
  }
  times.sort((a, b) => a - b);
  const ms = (value = 0) => `${value.toFixed(1)} ms`;
  const sent = traffic.requests === 0 ? [] : [String(traffic.requests), `${(traffic.bytes / 1e6).toFixed(2)} MB`];
  return [ms(times[rounds >> 1]), ms(times[0]), ...sent];
}

/** Requests for bytes are counted; asking for the length alone is not. */
function answer(request: IncomingMessage, response: ServerResponse): void {
  const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? "") ?? [];
  const start = Number(from ?? 0);
  const end = to === undefined ? content.length : Math.min(content.length, Number(to) + 1);
  response.writeHead(from === undefined ? 200 : 206, {
    "content-length": end - start,
    etag: '"v1"',
    "accept-ranges": "bytes",
    ...(from === undefined ? {} : { "content-range": `bytes ${start}-${end - 1}/${content.length}` }),
  });
  if (request.method === "HEAD") return void response.end();
  traffic.requests++;
  traffic.bytes += end - start;
  response.end(content.subarray(start, end));
}
