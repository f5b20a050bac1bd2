import type { IncomingMessage } from "node:http";
import { STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { ApiError } from "@trivium/kube";
import { headerSeparator } from "../authorization/impersonation.ts";
import type { Identity } from "../identity.ts";
import { badRequest, internal, refusal } from "../refusals.ts";
import { commandOverSpdy, spdyCommandProtocol } from "../streaming/command-over-spdy.ts";
import { commandOverWebSocket, commandProtocols } from "../streaming/command-over-websocket.ts";
import type { ConnectRequest } from "../streaming/connect.ts";
import type { CommandConnection, Connection, PortsConnection } from "../streaming/connection.ts";
import { channelForwardProtocols, forwardOverChannels } from "../streaming/forward-over-channels.ts";
import { forwardOverSpdy, forwardProtocol, tunnelledForwardProtocol } from "../streaming/forward-over-spdy.ts";
import { ProtocolFault } from "../streaming/protocol-fault.ts";
import { proxyUpgrade } from "../streaming/proxy.ts";
import { SpdySession } from "../streaming/spdy/session.ts";
import { acceptWebSocket, checkHandshake, protocolsOf } from "../streaming/websocket/handshake.ts";
import { WebSocketPeer } from "../streaming/websocket/socket.ts";
import { tunnelOver } from "../streaming/websocket/tunnel.ts";
import type { Authenticate } from "./authenticate.ts";

export interface UpgradeContext {
  readonly authenticate: Authenticate;
  connect(identity: Identity, request: ConnectRequest): Promise<Connection>;
  /** Aborted when the server closes: streams end with it. */
  readonly closing: AbortSignal;
  report(what: string, error: unknown): void;
}

/** Whether a path leads to streams of a pod, or through a proxy. */
export const isStreamed = (path: string): boolean =>
  /^\/api\/v1\/namespaces\/[^/?]+\/(?:pods\/[^/?]+\/(?:exec|attach|portforward)(?:\?|$)|(?:pods|services)\/[^/?]+\/proxy)/.test(
    path,
  );

/** A request that asks for another protocol on its connection. Never throws: what goes wrong is an answer, or the end. */
export async function upgrade(
  request: IncomingMessage,
  line: Duplex,
  head: Buffer,
  context: UpgradeContext,
): Promise<void> {
  // From here on the bytes are ours, not the HTTP parser's; none may pass before somebody reads them.
  line.removeAllListeners("data");
  line.pause();
  if (head.length > 0) line.unshift(head);
  line.on("error", () => line.destroy());
  const end = (): void => void line.destroy();
  context.closing.addEventListener("abort", end);
  line.once("close", () => context.closing.removeEventListener("abort", end));
  try {
    const caller = context.authenticate(request);
    if (caller === undefined) throw refusal(401, "Unauthorized", "Unauthorized");
    const connection = await context.connect(caller, connectRequest(request));
    if (line.destroyed) return;
    if (connection.is === "proxy") proxyUpgrade(connection, request, line);
    else if (isWebSocket(request)) await overWebSocket(connection, request, line);
    else await overSpdy(connection, request, line);
  } catch (error) {
    if (error instanceof ProtocolFault) return void line.destroy();
    if (!(error instanceof ApiError)) context.report(`${request.method} ${request.url?.split("?", 1)[0]}`, error);
    refuse(line, error instanceof ApiError ? error : internal("Internal error occurred: the connection failed"));
  }
}

export function connectRequest(request: IncomingMessage): ConnectRequest {
  const headers = { ...(request.headers as Record<string, string>) };
  for (const [name, values] of Object.entries(request.headersDistinct))
    if (name.startsWith("impersonate-") && values !== undefined) headers[name] = values.join(headerSeparator);
  return { method: request.method ?? "GET", path: request.url ?? "/", headers };
}

const isWebSocket = ({ headers, method }: IncomingMessage): boolean =>
  method === "GET" && headers.upgrade?.toLowerCase() === "websocket";

type PodConnection = CommandConnection | PortsConnection;

async function overWebSocket(connection: PodConnection, { headers }: IncomingMessage, line: Duplex): Promise<void> {
  checkHandshake(headers);
  const offered = protocolsOf(headers["sec-websocket-protocol"]);
  const known = connection.is === "command" ? commandProtocols : [tunnelledForwardProtocol, ...channelForwardProtocols];
  const protocol = offered.length === 0 ? "" : known.find((name) => name !== "" && offered.includes(name));
  if (protocol === undefined)
    throw badRequest(
      `unable to negotiate protocol: client supports [${offered.join(" ")}], server accepts [${known.join(" ").trim()}]`,
    );
  line.write(acceptWebSocket(headers, protocol));
  const peer = new WebSocketPeer(line);
  if (connection.is === "command") return await commandOverWebSocket(connection, peer, protocol);
  if (protocol !== tunnelledForwardProtocol) return await forwardOverChannels(connection, peer);
  await forwardOverSpdy(connection, new SpdySession(tunnelOver(peer)));
}

async function overSpdy(connection: PodConnection, { headers }: IncomingMessage, line: Duplex): Promise<void> {
  if (headers.upgrade?.toLowerCase() !== "spdy/3.1") throw badRequest("Upgrade request required");
  const protocol = connection.is === "command" ? spdyCommandProtocol : forwardProtocol;
  const offered = protocolsOf(headers["x-stream-protocol-version"] as string | undefined);
  if (!offered.includes(protocol)) {
    const message = `unable to upgrade: unable to negotiate protocol: client supports [${offered.join(" ")}], server accepts [${protocol}]`;
    throw refusal(403, "Forbidden", message);
  }
  const answer = ["HTTP/1.1 101 Switching Protocols", "connection: Upgrade", "upgrade: SPDY/3.1"];
  line.write(`${[...answer, `x-stream-protocol-version: ${protocol}`].join("\r\n")}\r\n\r\n`);
  const session = new SpdySession(line);
  if (connection.is === "command") await commandOverSpdy(connection, session);
  else await forwardOverSpdy(connection, session);
}

/** The answer of an upgrade that is refused is plain HTTP; kubectl then says why. */
function refuse(line: Duplex, { code, status }: ApiError): void {
  if (line.destroyed || !line.writable) return;
  const body = JSON.stringify(status);
  const headers = ["content-type: application/json", `content-length: ${Buffer.byteLength(body)}`, "connection: close"];
  line.end(`HTTP/1.1 ${code} ${STATUS_CODES[code] ?? ""}\r\n${headers.join("\r\n")}\r\n\r\n${body}`);
  line.resume();
  setTimeout(() => line.destroy(), 1_000).unref();
}
