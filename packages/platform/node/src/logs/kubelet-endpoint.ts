import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Instant } from "@trivium/std";
import { type LogBook, LogRefusal } from "./log-book.ts";
import type { LogOptions } from "./read-log.ts";

export interface KubeletEndpointOptions {
  readonly logs: LogBook;
  readonly now: () => Instant;
  /** What the API server must trust, by `--kubelet-certificate-authority`. */
  readonly certificate: { readonly cert: string; readonly key: string };
  /** PEM of the authority that signed the API server's client certificate: nobody else is let in. */
  readonly clientAuthority: string;
  readonly host?: string;
  readonly port?: number;
}

export interface KubeletEndpoint {
  /** Belongs into the Node's `status.daemonEndpoints`. Many nodes may share one endpoint. */
  readonly port: number;
  close(): Promise<void>;
}

/** What a real API server calls for `kubectl logs`: the part of a kubelet's HTTPS API that gives container logs. */
export async function serveKubelet(options: KubeletEndpointOptions): Promise<KubeletEndpoint> {
  const server = createServer(
    { ...options.certificate, ca: options.clientAuthority, requestCert: true, rejectUnauthorized: true },
    (request, response) => void answer(options, request, response),
  );
  // A peer that fails its handshake is the peer's trouble.
  server.on("tlsClientError", () => undefined);
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port ?? 0, options.host ?? "127.0.0.1", resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function answer(options: KubeletEndpointOptions, request: IncomingMessage, response: ServerResponse) {
  try {
    const url = new URL(request.url ?? "/", "https://kubelet");
    const [first, ...rest] = url.pathname.slice(1).split("/").map(decodeURIComponent);
    if (request.method !== "GET") return refuse(response, 405, "405: Method Not Allowed");
    if (first === "healthz" && rest.length === 0) return refuse(response, 200, "ok");
    if (first !== "containerLogs" || rest.length !== 3) return refuse(response, 404, "404: Page Not Found");
    await sendLog(options, { path: rest, query: url.searchParams }, response);
  } catch (error) {
    if (response.headersSent) response.destroy();
    else if (error instanceof LogRefusal) refuse(response, error.code, error.message);
    else if (error instanceof URIError) refuse(response, 400, "invalid path");
    else refuse(response, 500, "cannot read the log");
  }
}

interface LogCall {
  readonly path: readonly string[];
  readonly query: URLSearchParams;
}

async function sendLog({ logs, now }: KubeletEndpointOptions, call: LogCall, response: ServerResponse): Promise<void> {
  const [namespace = "", pod = "", container = ""] = call.path;
  const gone = new AbortController();
  response.on("close", () => gone.abort());
  const request = { ...requestOf(call.query), signal: gone.signal };
  const run = logs.find({ namespace, pod, container, previous: isTrue(call.query.get("previous")) });
  response.writeHead(200, { "content-type": "text/plain" });
  response.flushHeaders();
  await pipeline(Readable.from(run.read(request, now())), response);
}

function requestOf(query: URLSearchParams): LogOptions {
  return {
    follow: isTrue(query.get("follow")),
    timestamps: isTrue(query.get("timestamps")),
    sinceSeconds: numberOf(query, "sinceSeconds", 1),
    sinceTime: query.get("sinceTime") ?? undefined,
    tailLines: numberOf(query, "tailLines", 0),
    limitBytes: numberOf(query, "limitBytes", 1),
  };
}

const isTrue = (text: string | null): boolean => text === "true" || text === "1";

function numberOf(query: URLSearchParams, name: string, least: number): number | undefined {
  const text = query.get(name);
  if (text === null || text === "") return undefined;
  if (!/^\d{1,15}$/.test(text) || Number(text) < least)
    throw new LogRefusal(400, `${name} is not a number of at least ${least}`);
  return Number(text);
}

function refuse(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { "content-type": "text/plain; charset=utf-8" }).end(text);
}
