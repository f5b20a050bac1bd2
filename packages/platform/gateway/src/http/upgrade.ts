import { type ClientRequest, request as httpRequest, type IncomingMessage } from "node:http";
import type { Duplex, Readable } from "node:stream";
import type { Clock } from "@trivium/runtime";
import { type Failure, fail, openAiError } from "../failure.ts";
import type { Target } from "../upstream/target.ts";
import type { Upstream } from "../upstream/upstream.ts";
import type { Outgoing } from "./forward.ts";
import { answerHeaders } from "./headers.ts";

export interface Upgrade {
  readonly request: IncomingMessage;
  readonly socket: Duplex;
  /** What the client sent after its request. */
  readonly head: Buffer;
}

export interface TunnelParts {
  readonly random: () => number;
  readonly clock: Clock;
  /** How long a server may take to switch. */
  readonly patience: number;
}

/** The only protocol that requests are switched to. Any other offer (h2c) is ignored, as HTTP allows. */
export function isWebSocket({ method, headers }: IncomingMessage): boolean {
  return method === "GET" && headers.upgrade?.trim().toLowerCase() === "websocket";
}

/**
 * Joins the two connections of a WebSocket once the server has switched. Until then not a byte of the client goes on: what
 * it sent ahead could be requests, which no route has judged.
 */
export function tunnel({ request, socket, head }: Upgrade, target: Target, outgoing: Outgoing, parts: TunnelParts) {
  const upstream = target.pick(parts.random);
  if (upstream === undefined) {
    return refuseUpgrade(socket, fail(503, "no_replica", `${target.title} has no ready replica; try again later`));
  }
  target.begin();
  let server: Readable | undefined;
  let isOver = false;
  const asking = ask(upstream, outgoing, request.headers.upgrade ?? "");
  const over = (): void => {
    if (isOver) return;
    isOver = true;
    upstream.release();
    target.end(parts.clock.now());
    asking.destroy();
    server?.destroy();
    closeSoon(socket);
  };
  const giveUp = (failure: Failure): void => {
    if (!isOver && server === undefined) refuseUpgrade(socket, failure);
    over();
  };
  asking.setTimeout(parts.patience, () => giveUp(fail(504, "timeout", `${target.title} did not respond in time`)));
  asking.once("error", () => giveUp(fail(502, "upstream_unreachable", `Cannot reach ${target.title}`)));
  asking.once("upgrade", (answer, connection, first) => {
    if (isOver) return void connection.destroy();
    server = connection;
    connection.setTimeout(0);
    connection.once("error", over).once("close", over);
    socket.write(headOf(answer, "keep"), "latin1");
    if (first.length > 0) socket.write(first);
    if (head.length > 0) connection.write(head);
    connection.pipe(socket);
    socket.pipe(connection);
  });
  // It did not switch: its answer goes back, and the connection ends with it.
  asking.once("response", (answer) => {
    if (isOver) return void answer.destroy();
    server = answer;
    answer.once("error", over).once("close", over);
    socket.write(headOf(answer, "close"), "latin1");
    answer.pipe(socket);
  });
  socket.once("error", over).once("close", over);
}

function ask(upstream: Upstream, { path, headers }: Outgoing, protocol: string): ClientRequest {
  const { hostname, port } = new URL(`http://${upstream.authority}`);
  const asking = httpRequest({
    host: hostname.replace(/^\[|\]$/g, ""),
    port: Number(port || 80),
    method: "GET",
    path,
    headers: ["connection", "Upgrade", "upgrade", protocol, ...upstream.addProof(headers)],
    agent: false,
    setHost: false,
  });
  asking.end();
  return asking;
}

/** The head of an answer as bytes: it was parsed, so nothing in it can end a line early. */
function headOf(answer: IncomingMessage, connection: "keep" | "close"): string {
  const { statusCode = 502, statusMessage = "", rawHeaders } = answer;
  const lines = [`HTTP/1.1 ${statusCode} ${statusMessage}`];
  const headers = answerHeaders(rawHeaders);
  for (let at = 0; at < headers.length; at += 2) lines.push(`${headers[at]}: ${headers[at + 1]}`);
  lines.push(
    ...(connection === "keep" ? ["connection: Upgrade", `upgrade: ${answer.headers.upgrade}`] : ["connection: close"]),
  );
  return `${lines.join("\r\n")}\r\n\r\n`;
}

/** What was written still goes out, but not to a client that does not read. */
function closeSoon(socket: Duplex): void {
  const late = setTimeout(() => socket.destroy(), 5_000);
  socket.once("close", () => clearTimeout(late));
  socket.end(() => socket.destroy());
}

export function refuseUpgrade(socket: Duplex, failure: Failure): void {
  const body = openAiError(failure);
  const head = [
    `HTTP/1.1 ${failure.status} Refused`,
    "content-type: application/json",
    `content-length: ${Buffer.byteLength(body)}`,
    "connection: close",
  ];
  socket.write(`${head.join("\r\n")}\r\n\r\n${body}`);
  closeSoon(socket);
}
