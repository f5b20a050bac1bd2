import type { IncomingMessage } from "node:http";
import { connect } from "node:net";
import type { Duplex } from "node:stream";
import type { Clock } from "@trivium/runtime";
import type { Target } from "../upstream/target.ts";
import type { Outgoing } from "./forward.ts";

export interface Upgrade {
  readonly request: IncomingMessage;
  readonly socket: Duplex;
  /** What the client sent after its request. */
  readonly head: Buffer;
}

/** Joins the two connections of a WebSocket: after the request, bytes pass both ways until one side ends. */
export function tunnel(
  { request, socket, head }: Upgrade,
  target: Target,
  outgoing: Outgoing,
  parts: { random: () => number; clock: Clock },
) {
  const upstream = target.pick(parts.random);
  if (upstream === undefined) return refuseUpgrade(socket, 503, `${target.name} has no ready replica`);
  target.begin();
  const { hostname, port } = new URL(`http://${upstream.authority}`);
  const connection = connect(Number(port || 80), hostname.replace(/^\[|\]$/g, ""));
  let isOver = false;
  const over = (): void => {
    if (isOver) return;
    isOver = true;
    upstream.release();
    target.end(parts.clock.now());
    socket.destroy();
    connection.destroy();
  };
  connection.once("connect", () => {
    connection.write(headOf(request, outgoing));
    if (head.length > 0) connection.write(head);
    connection.pipe(socket);
    socket.pipe(connection);
  });
  connection.once("error", () => {
    if (connection.bytesRead === 0) refuseUpgrade(socket, 502, `${target.name} could not be reached`);
    over();
  });
  socket.once("error", over);
  socket.once("close", over);
  connection.once("close", over);
}

function headOf(request: IncomingMessage, { path, headers }: Outgoing): string {
  const lines = [`${request.method} ${path} HTTP/1.1`, "connection: Upgrade", `upgrade: ${request.headers.upgrade}`];
  for (let at = 0; at < headers.length; at += 2) lines.push(`${headers[at]}: ${headers[at + 1]}`);
  return `${lines.join("\r\n")}\r\n\r\n`;
}

export function refuseUpgrade(socket: Duplex, status: number, message: string): void {
  const body = `${message}\n`;
  socket.end(
    `HTTP/1.1 ${status} Refused\r\ncontent-type: text/plain\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  );
}
