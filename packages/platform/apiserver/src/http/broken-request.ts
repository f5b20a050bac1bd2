import { STATUS_CODES } from "node:http";
import type { Server } from "node:https";
import type { Duplex } from "node:stream";
import type { ApiError } from "@trivium/kube";
import { badRequest, refusal } from "../refusals.ts";
import type { Limits } from "./limits.ts";

/** Answers what never becomes a request (broken syntax, headers too long, a request too slow) instead of only closing. */
export function answerBrokenRequests(server: Server, limits: Pick<Limits, "headerBytes" | "lingerTime">): void {
  server.on("clientError", (error: NodeJS.ErrnoException, socket: Duplex) => {
    if (canBeAnswered(socket)) refuse(socket, refusalOf(error, limits), limits.lingerTime);
    else socket.destroy();
  });
  // Without a listener Node closes the connection, and the client never learns why.
  server.on("connect", (_request, socket: Duplex) => {
    socket.on("error", () => {});
    refuse(socket, refusal(405, "MethodNotAllowed", "CONNECT is not supported by this API server"), limits.lingerTime);
  });
}

/** An answer that was already begun cannot be followed by another one. */
function canBeAnswered(socket: Duplex): boolean {
  const current = (socket as { _httpMessage?: { headersSent: boolean } })._httpMessage;
  return socket.writable && current?.headersSent !== true;
}

function refusalOf(error: NodeJS.ErrnoException, { headerBytes }: Pick<Limits, "headerBytes">): ApiError {
  switch (error.code) {
    case "HPE_HEADER_OVERFLOW":
      return refusal(
        431,
        "BadRequest",
        `Request header fields too large: request line and headers must be below ${headerBytes} bytes together`,
      );
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return refusal(408, "Timeout", "The request did not arrive in time; send it again");
    default:
      return badRequest("The request is not valid HTTP/1.1");
  }
}

/**
 * Says no and closes. Closing at once would reset a client that is still sending, and it would never read why: what it
 * still sends is dropped for a while.
 */
function refuse(socket: Duplex, { code, status }: ApiError, lingerTime: number): void {
  const body = JSON.stringify(status);
  const head = [
    `HTTP/1.1 ${code} ${STATUS_CODES[code] ?? ""}`,
    "content-type: application/json",
    `content-length: ${Buffer.byteLength(body)}`,
    "connection: close",
  ];
  socket.removeAllListeners("data");
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`);
  socket.resume();
  const giveUp = setTimeout(() => socket.destroy(), lingerTime);
  socket.once("end", () => socket.destroy());
  socket.once("close", () => clearTimeout(giveUp));
}
