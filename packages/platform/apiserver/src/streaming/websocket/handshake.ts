import { createHash } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { badRequest, refusal } from "../../refusals.ts";

const magic = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

/** The head of the answer that makes a connection a WebSocket. `protocol` is "" where the client named none. */
export function acceptWebSocket(headers: IncomingHttpHeaders, protocol: string): string {
  const key = headers["sec-websocket-key"] ?? "";
  const accept = createHash("sha1").update(`${key}${magic}`).digest("base64");
  return [
    "HTTP/1.1 101 Switching Protocols",
    "upgrade: websocket",
    "connection: Upgrade",
    `sec-websocket-accept: ${accept}`,
    ...(protocol === "" ? [] : [`sec-websocket-protocol: ${protocol}`]),
    "\r\n",
  ].join("\r\n");
}

/** Refuses what is no handshake, and pages of other sites: a browser would send them along with the user's certificate. */
export function checkHandshake(headers: IncomingHttpHeaders): void {
  if (headers["sec-websocket-version"] !== "13") throw badRequest("only version 13 of WebSocket is supported");
  if (!/^[A-Za-z0-9+/]{22}==$/.test(headers["sec-websocket-key"] ?? "")) throw badRequest("invalid Sec-WebSocket-Key");
  const { origin, host } = headers;
  if (origin === undefined) return;
  if (URL.canParse(origin) && new URL(origin).host === host) return;
  throw refusal(403, "Forbidden", "WebSocket connections from pages of another origin are not allowed");
}

export function protocolsOf(header: string | undefined): string[] {
  return (header ?? "")
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
}
