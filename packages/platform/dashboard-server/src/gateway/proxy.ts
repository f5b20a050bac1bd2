import type { IncomingMessage, ServerResponse } from "node:http";
import type { GatewayPort } from "../connection.ts";
import { dataHeaders } from "../http/answer.ts";
import { Refused } from "../http/fault.ts";
import { readBody } from "../http/read-body.ts";
import { sendPieces } from "../http/send-pieces.ts";

export interface GatewayRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly gateway: GatewayPort | undefined;
  /** `/v1/chat/completions`, still encoded. */
  readonly path: string;
  readonly signal: AbortSignal;
}

/** Enough for a conversation with pictures. */
const maxBytes = 32 * 1024 * 1024;

/** Hands an OpenAI call to the gateway, and its answer back as it is generated. */
export async function proxyGateway({ request, response, gateway, path, signal }: GatewayRequest): Promise<void> {
  if (gateway === undefined) throw new Refused("NotFound", "No gateway is configured for this dashboard");
  if (!/^\/v1(\/[\w-]+)+$/.test(path)) throw new Refused("NotFound", "Only /v1 of the gateway is served here");
  const { method = "" } = request;
  if (method !== "GET" && method !== "POST") throw new Refused("MethodNotAllowed", "The gateway takes GET and POST");
  const body = method === "GET" ? null : new Uint8Array(await readBody(request, maxBytes));
  const answer = await fetch(new URL(path, gateway.url), {
    method,
    headers: headersOf(request, gateway),
    body,
    signal,
    redirect: "manual",
  }).catch(() => {
    throw new Refused("Unavailable", "The gateway does not respond");
  });
  response.writeHead(answer.status, { ...dataHeaders, "content-type": typeOf(answer.headers.get("content-type")) });
  response.flushHeaders();
  if (answer.body === null) return void response.end();
  await sendPieces(response, answer.body);
}

/** Neither the cookie nor anything else of the page; a key only where it brings one. */
function headersOf({ headers }: IncomingMessage, { key }: GatewayPort): Record<string, string> {
  const authorization = headers.authorization ?? (key === undefined ? undefined : `Bearer ${key}`);
  return {
    accept: "application/json, text/event-stream",
    "content-type": "application/json",
    ...(authorization === undefined ? {} : { authorization }),
  };
}

function typeOf(value: string | null): string {
  const type = (value ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "";
  return ["application/json", "text/event-stream", "text/plain"].includes(type)
    ? `${type}; charset=utf-8`
    : "application/octet-stream";
}
