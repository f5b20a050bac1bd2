import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { ApiError, loadingModel, notFound, serverError } from "../api/api-error.ts";
import type { Engine } from "../engine.ts";
import type { ServerSettings } from "../flags/settings.ts";
import { Gone } from "../slots.ts";
import { keyCheck } from "./api-keys.ts";
import { sendJson } from "./reply.ts";
import { routeOf } from "./routes.ts";
import { webGuard } from "./web-guard.ts";

/** Bodies carry pictures in base64, so the limit is generous; nothing is kept of them. */
const maxBodyBytes = 64 * 1024 * 1024;

/** The server as the program holds it: it listens before there is an engine, and answers that the model is being loaded. */
export interface EngineServer {
  readonly http: Server;
  serve(engine: Engine): void;
  /** From now on each answer closes its connection. */
  drain(): void;
}

export function createEngineServer(
  settings: ServerSettings,
  report: (line: string) => void,
  gatewayToken?: string | undefined,
): EngineServer {
  let engine: Engine | undefined;
  let isDraining = false;
  const isAllowed = keyCheck(settings.apiKeys);
  const guard = webGuard(settings, gatewayToken);
  const http = createServer(
    {
      maxHeaderSize: 32 * 1024,
      keepAliveTimeout: 65_000,
      requestTimeout: settings.timeoutSeconds * 1000,
      noDelay: true,
    },
    (request, response) => {
      response.setHeader("server", "llama.cpp");
      if (isDraining) response.setHeader("connection", "close");
      // A connection whose answer began before the end was told is kept open by its head.
      response.once("close", () => {
        if (!http.listening) setImmediate(() => http.closeIdleConnections());
      });
      // A write that comes after the end of a connection is no news.
      response.on("error", () => {});
      guard.allowOrigin(request, response);
      answer(request, response).catch((error: unknown) => fail(response, error));
    },
  );
  return {
    http,
    serve: (loaded) => {
      engine = loaded;
    },
    drain: () => {
      isDraining = true;
    },
  };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = pathOf(request);
    // Probes come by whatever name they were given, and learn nothing.
    if (request.method === "GET" && (path === "/health" || path === "/v1/health")) {
      if (engine === undefined) throw loadingModel();
      return sendJson(response, 200, '{"status":"ok"}');
    }
    guard.confirm(request);
    if (request.method === "OPTIONS") return allowMethods(request, response);
    if (!isAllowed(request.headers)) throw new ApiError(401, "authentication_error", "Invalid API Key");
    const route = routeOf(request.method, path);
    if (route === undefined) throw notFound();
    if (engine === undefined) throw loadingModel();
    const signal = goneSignal(response);
    const body = request.method === "POST" ? await readBody(request) : "";
    await route(engine, { request, response, path, body, signal });
  }

  function pathOf(request: IncomingMessage): string {
    const url = request.url ?? "/";
    const end = url.indexOf("?");
    const path = end < 0 ? url : url.slice(0, end);
    return settings.prefix !== "" && path.startsWith(`${settings.prefix}/`) ? path.slice(settings.prefix.length) : path;
  }

  function fail(response: ServerResponse, error: unknown): void {
    if (error instanceof Gone || response.destroyed) return;
    const known =
      error instanceof ApiError ? error : serverError(error instanceof Error ? error.message : String(error));
    if (!(error instanceof ApiError))
      report(`E ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
    // A stream that has begun can say so only as an event, and must not look complete.
    if (response.headersSent) return void response.end(`data: ${known.body()}\n\n`);
    if (known.status === 503) response.setHeader("retry-after", "1");
    if (known.status === 413) response.setHeader("connection", "close");
    sendJson(response, known.status, known.body());
  }
}

/** Aborts when the connection ends before the answer does. */
function goneSignal(response: ServerResponse): AbortSignal {
  const gone = new AbortController();
  response.once("close", () => {
    if (!response.writableFinished) gone.abort();
  });
  return gone.signal;
}

async function readBody(request: IncomingMessage): Promise<string> {
  const tooLarge = (): ApiError =>
    new ApiError(413, "invalid_request_error", `the request body is too large (maximum: ${maxBodyBytes} bytes)`);
  if (Number(request.headers["content-length"] ?? 0) > maxBodyBytes) throw tooLarge();
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBodyBytes) throw tooLarge();
    chunks.push(chunk);
  }
  return (chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)).toString("utf8");
}

/** Credentials of browsers mean nothing here, so no page is promised that they count. */
function allowMethods({ headers }: IncomingMessage, response: ServerResponse): void {
  response.writeHead(200, {
    "access-control-allow-methods": "GET, POST, DELETE, OPTIONS",
    "access-control-allow-headers": headers["access-control-request-headers"] ?? "*",
    "content-length": 0,
  });
  response.end();
}
