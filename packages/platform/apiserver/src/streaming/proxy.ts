import { type IncomingHttpHeaders, type IncomingMessage, request as openHttp, type ServerResponse } from "node:http";
import { request as openHttps } from "node:https";
import { connect as openTcp } from "node:net";
import type { Duplex } from "node:stream";
import { connect as openTls } from "node:tls";
import { refusal } from "../refusals.ts";
import type { ProxyConnection } from "./connection.ts";

/** Between two neighbours only, and what the caller proved itself with: neither is for the pod. */
const dropped: ReadonlySet<string> = new Set([
  "authorization",
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

const isKept = (name: string): boolean => !dropped.has(name) && !name.startsWith("impersonate-");

/** Hands a request on and its answer back, both as they come. Rejects with an `ApiError` where nobody answers. */
export function proxyRequest(
  { scheme, address, path, prefix }: ProxyConnection,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const open = scheme === "https" ? openHttps : openHttp;
    const asked = open({
      ...address,
      method: request.method,
      path,
      headers: { ...kept(request.headers), ...bodyFraming(request.headers) },
      // A pod has a certificate of its own making; a kube-apiserver does not verify it either.
      ...(scheme === "https" ? { rejectUnauthorized: false } : {}),
      agent: false,
    });
    asked.on("error", (error: NodeJS.ErrnoException) => {
      if (response.headersSent) response.destroy();
      const why = error.code === "ECONNREFUSED" ? "connection refused" : error.message;
      reject(
        refusal(
          503,
          "ServiceUnavailable",
          `error trying to reach service: dial tcp ${address.host}:${address.port}: ${why}`,
        ),
      );
    });
    asked.on("response", (answer) => {
      const headers = kept(answer.headers);
      const location = answer.headers.location;
      if (location?.startsWith("/") === true && !location.startsWith("//")) headers.location = `${prefix}${location}`;
      response.writeHead(answer.statusCode ?? 502, headers);
      answer.pipe(response);
      answer.once("error", () => response.destroy());
      answer.once("close", resolve);
    });
    response.once("close", () => asked.destroy());
    request.pipe(asked);
  });
}

function kept(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => isKept(name)));
}

const bodyFraming = ({ "transfer-encoding": encoding }: IncomingHttpHeaders): IncomingHttpHeaders =>
  encoding === undefined ? {} : { "transfer-encoding": "chunked" };

/** Hands a request for another protocol on as it is, and from then on every byte in both directions. */
export function proxyUpgrade({ scheme, address, path }: ProxyConnection, request: IncomingMessage, line: Duplex): void {
  const socket = scheme === "https" ? openTls({ ...address, rejectUnauthorized: false }) : openTcp(address);
  const names = Object.entries(kept(request.headers)).flatMap(([name, value]) =>
    [value ?? []].flat().map((text) => `${name}: ${text}`),
  );
  const head = [
    `${request.method} ${path} HTTP/1.1`,
    ...names,
    "connection: Upgrade",
    `upgrade: ${request.headers.upgrade}`,
  ];
  socket.write(`${head.join("\r\n")}\r\n\r\n`);
  const end = (): void => {
    socket.destroy();
    line.destroy();
  };
  for (const side of [socket, line]) side.once("close", end).on("error", end);
  socket.pipe(line);
  line.pipe(socket);
}
