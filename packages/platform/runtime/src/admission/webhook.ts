import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import type { Log } from "../log.ts";
import type { Admitter } from "./admit.ts";
import { type WebhookPath, webhookPaths } from "./webhook-path.ts";
import { answerReview, NoReview } from "./webhook-review.ts";

/** A certificate and its private key, both PEM. */
interface KeyPair {
  readonly cert: string;
  readonly key: string;
}

export interface WebhookServerOptions {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  readonly pair: KeyPair;
  readonly admitter: Admitter;
  readonly log: Log;
}

export interface WebhookServer {
  readonly port: number;
  /** From now on this certificate is shown. Throws when it is none. */
  renew(pair: KeyPair): void;
  close(): Promise<void>;
}

/** An object may be three megabytes, and a review brings the old and the new one. */
const maxBytes = 8 * 1024 * 1024;
/** A server gives up after ten seconds or less; so nothing that takes longer is waited for. */
const longestRequest = 10_000;

/** Answers reviews of an API server over TLS. Rejects with the error of the system when the port cannot be had. */
export async function serveWebhooks(options: WebhookServerOptions): Promise<WebhookServer> {
  const { admitter, pair, host, log } = options;
  const paths = new Map(webhookPaths(admitter.admissions).map((one) => [one.path, one]));
  const server = createServer({
    ...pair,
    minVersion: "TLSv1.2",
    ALPNProtocols: ["http/1.1"],
    handshakeTimeout: longestRequest,
    headersTimeout: longestRequest,
    requestTimeout: longestRequest,
    keepAliveTimeout: 90_000,
    connectionsCheckingInterval: 2_000,
  });
  server.maxConnections = 512;
  server.on("tlsClientError", () => {});
  // With a listener Node reads through the stream; without one, a large review that arrives while the last answer is being
  // written can reach a paused parser, which resets the connection.
  server.on("secureConnection", (socket) => socket.on("data", () => {}));
  server.on("request", (request, response) => {
    void answer(request, response, { path: paths.get(request.url?.split("?", 1)[0] ?? ""), admitter, log });
  });
  const port = await listen(server, host, options.port);
  return { port, renew: (next) => server.setSecureContext({ ...next }), close: () => close(server) };
}

interface Answering {
  readonly path: WebhookPath | undefined;
  readonly admitter: Admitter;
  readonly log: Log;
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  { path, admitter, log }: Answering,
): Promise<void> {
  if (path === undefined) return say(response, 404, "not found");
  if (request.method !== "POST") return say(response, 405, "method not allowed; use POST");
  try {
    const text = await readText(request);
    if (text === undefined) return say(response, 413, `the review is too large (maximum: ${maxBytes} bytes)`);
    const body = JSON.stringify(answerReview(path, admitter, text));
    response.writeHead(200, { "content-type": "application/json" }).end(body);
  } catch (error) {
    if (error instanceof NoReview) return say(response, 400, error.message);
    if (request.destroyed && !request.complete) return;
    log.error({ err: error, path: path.path }, "cannot answer an admission review");
    say(response, 500, "internal error; see the log of the operator");
  }
}

/** The whole body, or nothing when it is too long: then the rest is not taken in. */
async function readText(request: IncomingMessage): Promise<string | undefined> {
  if (Number(request.headers["content-length"] ?? 0) > maxBytes) return undefined;
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size).toString("utf8");
}

function say(response: ServerResponse, code: number, text: string): void {
  if (response.destroyed) return;
  const headers = { "content-type": "text/plain; charset=utf-8", ...(code === 413 ? { connection: "close" } : {}) };
  response.writeHead(code, headers).end(`${text}\n`);
}

function listen(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host, port }, () => {
      server.off("error", reject);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeIdleConnections();
    setTimeout(() => server.closeAllConnections(), 2_000).unref();
  });
}
