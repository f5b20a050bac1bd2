import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { ApiError, type ApiRequest, type ApiResponse, type Transport } from "@trivium/kube";
import { headerSeparator } from "../authorization/impersonation.ts";
import { versionDocument } from "../discovery/version.ts";
import type { Identity } from "../identity.ts";
import { internal, refusal } from "../refusals.ts";
import type { ConnectRequest } from "../streaming/connect.ts";
import type { Connection } from "../streaming/connection.ts";
import { proxyRequest } from "../streaming/proxy.ts";
import { parseProxyPath } from "../streaming/resolve-proxy.ts";
import type { Authenticate } from "./authenticate.ts";
import type { BodyBudget } from "./body-budget.ts";
import { answerHealth, type HealthCheck } from "./health.ts";
import type { Limits } from "./limits.ts";
import { prettyBody } from "./pretty.ts";
import { readBody } from "./request-body.ts";
import { sendWhole } from "./response.ts";
import { sendStream } from "./stream.ts";
import { type BinaryAnswer, binarySwagger, wantsBinarySwagger } from "./swagger-answer.ts";
import { connectRequest } from "./upgrade.ts";

/** What answering one request needs to know of the server it came to. */
export interface ExchangeContext {
  readonly limits: Limits;
  readonly authenticate: Authenticate;
  readonly bodies: BodyBudget;
  readonly checks: readonly HealthCheck[];
  /** Aborted when the server closes. */
  readonly closing: AbortSignal;
  transportFor(identity: Identity): Transport;
  connect(identity: Identity, request: ConnectRequest): Promise<Connection>;
  /** Told of faults that are ours. */
  report(what: string, error: unknown): void;
}

/** Made once: an abort without a reason makes an exception with a stack trace each time. */
const clientGone = new Error("the client went away");
const streamEnded = new Error("the stream has ended");

/** One request and its answer. Never throws: what goes wrong is an answer, or the end of the connection. */
export async function exchange(
  request: IncomingMessage,
  response: ServerResponse,
  context: ExchangeContext,
): Promise<void> {
  response.setHeader("audit-id", randomUUID());
  // Without a listener an aborted upload would be an uncaught error.
  request.on("error", () => {});
  const gone = new AbortController();
  let held = 0;
  const hold = (bytes: number): void => {
    context.bodies.take(bytes);
    held += bytes;
  };
  response.once("close", () => {
    context.bodies.give(held);
    held = 0;
    if (!response.writableFinished) gone.abort(clientGone);
  });
  try {
    if (parseProxyPath(request.url ?? "/") !== undefined) return await proxy(request, response, context);
    const answer = await answerTo({ request, signal: gone.signal, hold }, context);
    if (response.destroyed) return;
    await send(request, response, answer, context);
    // However a stream ended, its source is to stop.
    if ("body" in answer && typeof answer.body !== "string") gone.abort(streamEnded);
  } catch (error) {
    if (gone.signal.aborted || response.destroyed) return;
    if (response.headersSent) {
      context.report(`${request.method} ${pathOf(request)}: the stream broke`, error);
      response.destroy();
      return;
    }
    sendRefusal(request, response, toRefusal(error, request, context), context.limits);
  }
}

/** Bodies pass as bytes, whatever they are and however long they take. */
async function proxy(request: IncomingMessage, response: ServerResponse, context: ExchangeContext): Promise<void> {
  const caller = context.authenticate(request);
  if (caller === undefined) throw refusal(401, "Unauthorized", "Unauthorized");
  const connection = await context.connect(caller, connectRequest(request));
  if (connection.is === "proxy") await proxyRequest(connection, request, response);
}

interface Asking {
  readonly request: IncomingMessage;
  readonly signal: AbortSignal;
  hold(bytes: number): void;
}

async function answerTo(
  { request, signal, hold }: Asking,
  context: ExchangeContext,
): Promise<ApiResponse | BinaryAnswer> {
  const path = pathOf(request);
  const isOpen = request.method === "GET" || request.method === "HEAD";
  if (isOpen) {
    const health = answerHealth(request.url ?? "/", context.checks);
    if (health !== undefined) return health;
    if (path === "/version" || path === "/version/") {
      return { status: 200, headers: { "content-type": "application/json" }, body: versionDocument() };
    }
  }
  const caller = context.authenticate(request);
  if (caller === undefined) throw refusal(401, "Unauthorized", "Unauthorized");
  const body = await readBody(request, { limit: context.limits.bodyBytes, hold });
  const asked = apiRequest(request, body, signal);
  const transport = context.transportFor(caller);
  return await (wantsBinarySwagger(asked) ? binarySwagger(asked, transport) : transport(asked));
}

function apiRequest(
  request: IncomingMessage,
  body: { text: string | undefined; contentType: string | undefined },
  signal: AbortSignal,
): ApiRequest {
  const headers = request.headers as Record<string, string>;
  // The credential has done its work; nothing behind this line needs to see it.
  delete headers.authorization;
  // Node joins repeated headers by commas, which a group's name may contain.
  for (const [name, values] of Object.entries(request.headersDistinct))
    if (name.startsWith("impersonate-") && values !== undefined) headers[name] = values.join(headerSeparator);
  if (body.contentType !== undefined) headers["content-type"] = body.contentType;
  return {
    method: (request.method ?? "GET") as ApiRequest["method"],
    path: request.url ?? "/",
    headers,
    body: body.text,
    signal,
  };
}

async function send(
  request: IncomingMessage,
  response: ServerResponse,
  answer: ApiResponse | BinaryAnswer,
  { closing, limits }: ExchangeContext,
): Promise<void> {
  if ("bytes" in answer) return sendWhole(response, answer, answer.bytes);
  const { body } = answer;
  if (typeof body === "string") return sendWhole(response, answer, prettyBody(request, answer.headers, body));
  await sendStream(response, { ...answer, body }, { closing, stallTime: limits.stallTime });
}

/**
 * A client that is still sending when it is refused must be listened to for a while: closing the line at once would reset
 * it, and the client would never read why.
 */
function sendRefusal(request: IncomingMessage, response: ServerResponse, error: ApiError, limits: Limits): void {
  const wait = error.status.details?.retryAfterSeconds;
  const headers = {
    "content-type": "application/json",
    ...(wait === undefined ? {} : { "retry-after": String(wait) }),
  };
  if (!request.complete) response.shouldKeepAlive = true;
  sendWhole(response, { status: error.code, headers }, prettyBody(request, headers, JSON.stringify(error.status)));
  if (request.complete) return;
  request.resume();
  const giveUp = setTimeout(() => request.socket.destroy(), limits.lingerTime);
  request.once("close", () => clearTimeout(giveUp));
}

function toRefusal(error: unknown, request: IncomingMessage, context: ExchangeContext): ApiError {
  if (error instanceof ApiError) return error;
  context.report(`${request.method} ${pathOf(request)}`, error);
  return internal("Internal error occurred: the server failed to answer; its log says why");
}

function pathOf(request: IncomingMessage): string {
  return (request.url ?? "/").split("?", 1)[0] as string;
}
