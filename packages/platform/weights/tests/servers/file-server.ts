// One file over HTTP, by a server that behaves as badly as a test wants.
import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

export interface Misdeeds {
  /** Answers this instead; `count` is the number of GET requests so far, from 1. */
  refuse?: (
    count: number,
    request: IncomingMessage,
  ) => { status: number; headers?: Record<string, string> } | undefined;
  /** Resets the connection after so many bytes of the body. */
  cutAfter?: (count: number) => number | undefined;
  /** Sends so many bytes of the body and then nothing more, leaving the connection open. */
  stallAfter?: (count: number) => number | undefined;
  /** Sends this answer so slowly that it would take for ever. */
  drips?: (count: number) => boolean;
  /** Called before the answer to each GET. */
  before?: (count: number) => void;
}

export class FileServer {
  content: Buffer;
  etag: string | undefined = '"v1"';
  hasRanges = true;
  hasLength = true;
  bytesPerSecond = Number.POSITIVE_INFINITY;
  misdeeds: Misdeeds = {};
  gets = 0;
  sent = 0;
  readonly observed: IncomingMessage["headers"][] = [];
  #server: Server;

  constructor(content: Buffer) {
    this.content = content;
    this.#server = createServer(
      (request, response) => void this.#answer(request, response).catch(() => response.destroy()),
    );
  }

  async listen(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    return this;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  url(host = "127.0.0.1"): string {
    return `http://${host}:${this.port}/dir/model.bin`;
  }

  get sha256(): string {
    return createHash("sha256").update(this.content).digest("hex");
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.observed.push(request.headers);
    const isHead = request.method === "HEAD";
    if (!isHead) {
      this.gets++;
      this.misdeeds.before?.(this.gets);
    }
    const count = this.gets;
    const refusal = this.misdeeds.refuse?.(isHead ? 0 : count, request);
    if (refusal !== undefined) return void response.writeHead(refusal.status, refusal.headers).end("no\n");
    const { status, start, end } = this.#select(request);
    const headers: Record<string, string> = {};
    if (this.etag !== undefined) headers.etag = this.etag;
    if (status === 416)
      return void response.writeHead(416, { "content-range": `bytes */${this.content.length}` }).end();
    if (status === 206) headers["content-range"] = `bytes ${start}-${end - 1}/${this.content.length}`;
    if (this.hasLength) headers["content-length"] = String(end - start);
    response.writeHead(status, headers);
    if (isHead) return void response.end();
    await this.#send(response, this.content.subarray(start, end), count);
  }

  #select(request: IncomingMessage): { status: number; start: number; end: number } {
    const match = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? "");
    const condition = request.headers["if-range"];
    const isOther = condition !== undefined && condition !== this.etag;
    if (match === null || !this.hasRanges || isOther) return { status: 200, start: 0, end: this.content.length };
    const start = Number(match[1]);
    if (start >= this.content.length) return { status: 416, start: 0, end: 0 };
    return { status: 206, start, end: Math.min(this.content.length, Number(match[2]) + 1) };
  }

  async #send(response: ServerResponse, body: Buffer, count: number): Promise<void> {
    const cut = this.misdeeds.cutAfter?.(count);
    const stall = this.misdeeds.stallAfter?.(count);
    if (this.misdeeds.drips?.(count) === true) return drip(response, body);
    const step = Number.isFinite(this.bytesPerSecond) ? Math.max(1, Math.ceil(this.bytesPerSecond / 100)) : 64 * 1024;
    const limit = Math.min(body.length, cut ?? body.length, stall ?? body.length);
    for (let at = 0; at < limit && !response.destroyed; at += step) {
      const chunk = body.subarray(at, Math.min(limit, at + step));
      this.sent += chunk.length;
      if (!response.write(chunk)) await drained(response);
      if (Number.isFinite(this.bytesPerSecond)) await sleep(10);
    }
    if (cut !== undefined && cut < body.length) return void setTimeout(() => response.destroy(), 20);
    if (stall !== undefined && stall < body.length) return;
    response.end();
  }
}

async function drip(response: ServerResponse, body: Buffer): Promise<void> {
  for (let at = 0; at < body.length && !response.destroyed; at += 10) {
    response.write(body.subarray(at, at + 10));
    await sleep(30);
  }
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      response.off("drain", done).off("close", done);
      resolve();
    };
    response.on("drain", done).on("close", done);
  });
}
