import { createServer, type IncomingMessage, type Server } from "node:http";
import type { Duplex } from "node:stream";
import { type MatchedRoute, pickBackend } from "@trivium/engines";
import type { Log } from "@trivium/runtime";
import { hostnameOf } from "@trivium/std";
import type { ApiKeys } from "../auth/api-keys.ts";
import { type Failure, fail } from "../failure.ts";
import type { Limits } from "../limits.ts";
import { type ModelParts, serveModel } from "../openai/serve-model.ts";
import { openAiCall } from "../openai/surface.ts";
import { faultOfRequest } from "./check-request.ts";
import { allowOrigin, answerPreflight, isPreflight } from "./cors.ts";
import { type ClientRequest, Exchange, type Incoming, incomingOf, type RequestHead, wantsJson } from "./exchange.ts";
import { acceptPlain, type PlainConnections } from "./plain/plain-connections.ts";
import { outgoingOf, serveRoute } from "./serve-route.ts";
import { isWebSocket, refuseUpgrade, tunnel } from "./upgrade.ts";
import { faultOfCaller, type WebGuardParts } from "./web-guard.ts";

export interface DoorParts extends ModelParts, Pick<WebGuardParts, "access"> {
  readonly keys: ApiKeys | undefined;
  readonly limits: Limits;
  readonly log: Log;
  readonly onEnd: ((exchange: Exchange) => void) | undefined;
}

/** The server of the address, and those of its connections that it does not know of. */
export interface Door {
  readonly server: Server;
  readonly plain: PlainConnections;
}

/** The one address for all requests: checks them, and decides between routes and models. */
export function openDoor(parts: DoorParts): Door {
  const { limits } = parts;
  const server = createServer({
    maxHeaderSize: limits.headerBytes,
    headersTimeout: limits.headersTimeout,
    requestTimeout: limits.requestTimeout,
    keepAliveTimeout: limits.keepAliveTimeout,
    connectionsCheckingInterval: 1_000,
    requireHostHeader: true,
    insecureHTTPParser: false,
    shouldUpgradeCallback: isWebSocket,
  });
  server.maxConnections = limits.connections;
  const plain = acceptPlain(server, limits, {
    serve: (exchange) => receive(exchange, parts),
    isRefused: (head) => isRefused(head, parts),
  });
  server.on("request", (message, response) =>
    receiveMessage(new Exchange(message, response, { is: "arriving", message }), message, parts),
  );
  server.on("checkContinue", (message, response) =>
    receiveMessage(new Exchange(message, response, { is: "awaits-go", message }), message, parts),
  );
  server.on("upgrade", (request, socket, head) => receiveUpgrade(request, socket, head, parts));
  server.on("clientError", refuseConnection);
  return { server, plain };
}

/** The last exchange of a connection: while its answer is under way, nothing else may be written there. */
const lastExchange = Symbol("lastExchange");
type Connection = Duplex & { [lastExchange]?: Exchange };

function receiveMessage(exchange: Exchange, { socket }: IncomingMessage, parts: DoorParts): void {
  (socket as Connection)[lastExchange] = exchange;
  receive(exchange, parts);
}

/** Nothing that a request sets off may end the process: what was not foreseen is logged, and is the end of this request alone. */
function receive(exchange: Exchange, parts: DoorParts): void {
  const { request, response, path } = exchange;
  exchange.onFault = (error) => {
    parts.log.error({ err: error, method: request.method, path: path.slice(0, 200) }, "cannot handle a request");
  };
  if (parts.onEnd !== undefined) response.on("close", () => exchange.run(() => parts.onEnd?.(exchange)));
  exchange.run(() => serve(exchange, parts));
}

function serve(exchange: Exchange, parts: DoorParts) {
  const { request } = exchange;
  const matched = parts.view.routes.match(routeRequest(exchange));
  const call = openAiCall(exchange.path);
  const isModelCall = call !== undefined && (matched === undefined || isCatchAll(matched));
  if (isModelCall || wantsJson(exchange)) exchange.form = "openai";
  const refusal = faultOfRequest(request, parts.limits.urlBytes) ?? faultOfCaller(request, parts);
  if (refusal !== undefined) return refuse(exchange, refusal, parts);
  if (isModelCall || parts.keys !== undefined) {
    if (isPreflight(exchange)) return answerPreflight(exchange);
  }
  if (isModelCall) allowOrigin(exchange);
  const failure = parts.keys?.refuse(request.headers);
  if (failure !== undefined) return refuse(exchange, failure, parts);
  if (isModelCall) return serveModel(exchange, call, parts);
  if (matched !== undefined) return serveRoute(exchange, matched, parts);
  refuse(exchange, nothingHere(exchange, parts), parts);
}

/** Why a request is refused, as far as its head tells; nothing when it may go on. A preflight needs no key and is not asked about. */
function refusalOf(request: RequestHead, parts: DoorParts): Failure | undefined {
  return (
    faultOfRequest(request, parts.limits.urlBytes) ??
    faultOfCaller(request, parts) ??
    parts.keys?.refuse(request.headers)
  );
}

/** An error is not thrown here, where it would end the process: the request is checked again when it is served. */
function isRefused(head: RequestHead, parts: DoorParts): boolean {
  try {
    return refusalOf(head, parts) !== undefined;
  } catch {
    return true;
  }
}

function refuse(exchange: Exchange, failure: Failure, parts: DoorParts) {
  parts.metrics.refused(failure.code);
  exchange.fail(failure);
}

function nothingHere({ path, request }: Exchange, { view }: DoorParts): Failure {
  if (path === "/v1" || path.startsWith("/v1/")) {
    return fail(404, "unknown_url", `Path ${path.slice(0, 200)} not found; models are listed at /v1/models`);
  }
  const why = view.routes.size === 0 ? "no HTTPRoutes exist" : "no HTTPRoute matches";
  return fail(
    404,
    "no_route",
    `No route for ${request.method} ${path.slice(0, 200)} at host ${hostOf(request)}: ${why}`,
  );
}

/** A route for everything must not take the models away; one that names a host, a path or a condition was meant. */
function isCatchAll({ entry }: MatchedRoute): boolean {
  const { path, headers = [], queryParams = [], method } = entry.match;
  const isAnyPath = (path?.type ?? "PathPrefix") === "PathPrefix" && (path?.value ?? "/") === "/";
  return (
    entry.hostname === undefined &&
    isAnyPath &&
    headers.length === 0 &&
    queryParams.length === 0 &&
    method === undefined
  );
}

function routeRequest({ request, path, query }: Incoming) {
  const header = (name: string) => {
    const value = request.headers[name];
    return typeof value === "object" ? value.join(",") : value;
  };
  return { host: hostOf(request), path, query, method: request.method ?? "GET", header };
}

const hostOf = ({ headers }: ClientRequest): string => hostnameOf(headers.host ?? "");

function receiveUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer, parts: DoorParts): void {
  socket.on("error", () => socket.destroy());
  try {
    upgrade(request, socket, head, parts);
  } catch (error) {
    parts.log.error({ err: error, path: request.url?.slice(0, 200) }, "cannot handle an upgrade");
    socket.destroy();
  }
}

function upgrade(request: IncomingMessage, socket: Duplex, head: Buffer, parts: DoorParts) {
  const incoming = incomingOf(request);
  const failure = refusalOf(request, parts);
  if (failure !== undefined) return refuseUpgrade(socket, failure);
  const matched = parts.view.routes.match(routeRequest(incoming));
  const picked = matched === undefined ? undefined : pickBackend(matched.rule, parts.random());
  if (matched === undefined || picked?.is !== "backend") {
    const message = `No HTTPRoute forwards WebSockets from ${incoming.path.slice(0, 200)} to a Service`;
    return refuseUpgrade(socket, fail(404, "no_route", message));
  }
  const target = parts.targets.of(picked.backend);
  const filters = [...matched.rule.filters, ...picked.filters];
  tunnel({ request, socket, head }, target, outgoingOf(incoming, { target, matched, filters, body: null }, parts), {
    random: parts.random,
    clock: parts.clock,
    patience: parts.limits.requestTimeout,
  });
}

/** Malformed requests never become requests. What was wrong is said in one word, and the connection is not trusted any more. */
function refuseConnection(error: NodeJS.ErrnoException, socket: Duplex): void {
  // In the middle of an answer, a second one would be read as a part of it.
  const isAnswering = (socket as Connection)[lastExchange]?.isAnswering === true;
  if (!socket.writable || isAnswering || error.code === "ECONNRESET") return void socket.destroy();
  const [status, words] =
    error.code === "HPE_HEADER_OVERFLOW"
      ? [431, "Request Header Fields Too Large"]
      : error.code === "ERR_HTTP_REQUEST_TIMEOUT"
        ? [408, "Request Timeout"]
        : [400, "Bad Request"];
  socket.end(`HTTP/1.1 ${status} ${words}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`);
}
