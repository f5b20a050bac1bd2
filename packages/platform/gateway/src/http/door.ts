import { createServer, type IncomingMessage, type Server } from "node:http";
import type { Duplex } from "node:stream";
import { type MatchedRoute, pickBackend } from "@trivium/engines";
import type { ApiKeys } from "../auth/api-keys.ts";
import { type Failure, fail } from "../failure.ts";
import type { Limits } from "../limits.ts";
import { type ModelParts, serveModel } from "../openai/serve-model.ts";
import { openAiCall } from "../openai/surface.ts";
import { faultOfRequest } from "./check-request.ts";
import { Exchange, type Incoming, incomingOf, wantsJson } from "./exchange.ts";
import { outgoingOf, serveRoute } from "./serve-route.ts";
import { refuseUpgrade, tunnel } from "./upgrade.ts";

export interface DoorParts extends ModelParts {
  readonly keys: ApiKeys | undefined;
  readonly limits: Limits;
  readonly onEnd: ((exchange: Exchange) => void) | undefined;
}

/** The one address for all requests: checks them, and decides between routes and models. */
export function openDoor(parts: DoorParts): Server {
  const { limits } = parts;
  const server = createServer({
    maxHeaderSize: limits.headerBytes,
    headersTimeout: limits.headersTimeout,
    requestTimeout: limits.requestTimeout,
    keepAliveTimeout: limits.keepAliveTimeout,
    connectionsCheckingInterval: 1_000,
    requireHostHeader: true,
    insecureHTTPParser: false,
  });
  server.maxConnections = limits.connections;
  server.on("request", (request, response) => serve(new Exchange(request, response), parts));
  server.on("checkContinue", (request, response) => serve(new Exchange(request, response, "awaits-go"), parts));
  server.on("upgrade", (request, socket, head) => upgrade(request, socket, head, parts));
  server.on("clientError", refuseConnection);
  return server;
}

function serve(exchange: Exchange, parts: DoorParts) {
  const { request, response } = exchange;
  if (parts.onEnd !== undefined) response.on("close", () => parts.onEnd?.(exchange));
  const matched = parts.view.routes.match(routeRequest(exchange));
  const call = openAiCall(exchange.path);
  const isModelCall = call !== undefined && (matched === undefined || isCatchAll(matched));
  if (isModelCall || wantsJson(exchange)) exchange.form = "openai";
  const failure = faultOfRequest(request, parts.limits.urlBytes) ?? parts.keys?.refuse(request.headers);
  if (failure !== undefined) return refuse(exchange, failure, parts);
  if (isModelCall) return serveModel(exchange, call, parts);
  if (matched !== undefined) return serveRoute(exchange, matched, parts);
  refuse(exchange, nothingHere(exchange, parts), parts);
}

function refuse(exchange: Exchange, failure: Failure, parts: DoorParts) {
  parts.metrics.refused(failure.code);
  exchange.fail(failure);
}

function nothingHere({ path, request }: Exchange, { view }: DoorParts): Failure {
  if (path === "/v1" || path.startsWith("/v1/")) {
    return fail(404, "unknown_url", `There is no ${path.slice(0, 200)} here: models are listed at /v1/models`);
  }
  const why = view.routes.size === 0 ? "there are no HTTPRoutes" : "no HTTPRoute matches";
  return fail(
    404,
    "no_route",
    `Nothing is served for ${request.method} ${path.slice(0, 200)} at host ${hostOf(request)}: ${why}`,
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

function hostOf({ headers }: IncomingMessage): string {
  return (headers.host ?? "").replace(/:\d+$/, "").toLowerCase();
}

function upgrade(request: IncomingMessage, socket: Duplex, head: Buffer, parts: DoorParts) {
  socket.on("error", () => socket.destroy());
  const incoming = incomingOf(request);
  const failure = faultOfRequest(request, parts.limits.urlBytes) ?? parts.keys?.refuse(request.headers);
  if (failure !== undefined) return refuseUpgrade(socket, failure.status, failure.message);
  const matched = parts.view.routes.match(routeRequest(incoming));
  const picked = matched === undefined ? undefined : pickBackend(matched.rule, parts.random());
  if (matched === undefined || picked?.is !== "backend") return refuseUpgrade(socket, 404, "No HTTPRoute leads here");
  const target = parts.targets.of(picked.backend);
  const filters = [...matched.rule.filters, ...picked.filters];
  tunnel(
    { request, socket, head },
    target,
    outgoingOf(incoming, { target, matched, filters, body: null }, parts),
    parts,
  );
}

/** Malformed requests never become requests. What was wrong is said in one word, and the connection is not trusted any more. */
function refuseConnection(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (!socket.writable || error.code === "ECONNRESET") return void socket.destroy();
  const [status, words] =
    error.code === "HPE_HEADER_OVERFLOW"
      ? [431, "Request Header Fields Too Large"]
      : error.code === "ERR_HTTP_REQUEST_TIMEOUT"
        ? [408, "Request Timeout"]
        : [400, "Bad Request"];
  socket.end(`HTTP/1.1 ${status} ${words}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`);
}
