import type { IncomingMessage, ServerResponse } from "node:http";
import type { ApiRequest, ApiResponse } from "@trivium/kube";
import { statusHeader } from "../contract.ts";
import { dataHeaders } from "../http/answer.ts";
import { Refused } from "../http/fault.ts";
import { readBody } from "../http/read-body.ts";
import { sendPieces } from "../http/send-pieces.ts";
import { isSafe } from "../http/web-guard.ts";
import type { Session } from "../session/sessions.ts";
import { parseApiPath } from "./api-path.ts";
import { checkCall } from "./check-call.ts";

export interface ProxyRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly session: Session;
  /** The path of the API as the page sent it, still encoded. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly isReadOnly: boolean;
  /** Aborts when the page goes away or the session ends. */
  readonly signal: AbortSignal;
}

/** What an API server takes at most. */
const maxBytes = 3 * 1024 * 1024;

/** Hands a call to the Kubernetes API with the session's own rights, and its answer back. */
export async function proxyApi(call: ProxyRequest): Promise<void> {
  const { request, response, session, path, query, isReadOnly, signal } = call;
  const { method = "" } = request;
  const target = parseApiPath(path);
  checkCall({ method, target, query }, isReadOnly);
  const answer = await session.connection.transport({
    method: method as ApiRequest["method"],
    path: target.path + (query.size === 0 ? "" : `?${query}`),
    headers: headersOf(request),
    body: isSafe(method) ? undefined : (await readBody(request, maxBytes)).toString("utf8"),
    signal,
    isStreamed: method === "GET",
  });
  const isExpected = [400, 403, 404].includes(answer.status) && method === "GET" && statusHeader in request.headers;
  if (isExpected) response.setHeader(statusHeader, answer.status);
  await sendAnswer(response, isExpected ? { ...answer, status: 200 } : answer);
}

const patchTypes = /^application\/(json|yaml|(json-patch|merge-patch|strategic-merge-patch)\+json|apply-patch\+yaml)$/;

/** Nothing else of the page's request reaches the API: no cookie, no impersonation, no login of its own. */
function headersOf({ method = "", headers }: IncomingMessage): Record<string, string> {
  const { accept = "" } = headers;
  const isText = /^[\w/+*;,=. -]{1,200}$/.test(accept) && /json|yaml|text\/plain|\*\/\*/.test(accept);
  const read = { accept: isText ? accept : "application/json" };
  if (isSafe(method)) return read;
  const type = (headers["content-type"] ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "";
  if (patchTypes.test(type)) return { ...read, "content-type": type };
  if (type === "" && method === "DELETE") return { ...read, "content-type": "application/json" };
  throw new Refused("BadRequest", "Content type must be JSON, YAML or a patch of Kubernetes");
}

async function sendAnswer(response: ServerResponse, { status, headers, body }: ApiResponse): Promise<void> {
  // What the API warns of, such as a deprecated version.
  if (headers.warning !== undefined) response.setHeader("warning", [...[headers.warning].flat()]);
  response.writeHead(status, { ...dataHeaders, "content-type": typeOf(headers["content-type"]) });
  if (typeof body === "string") return void response.end(body);
  response.flushHeaders();
  await sendPieces(response, body);
}

/** Types that a browser shows as text; whatever else a server sends is a download. */
function typeOf(value: string | readonly string[] | undefined): string {
  const type =
    String(value ?? "")
      .split(";", 1)[0]
      ?.trim()
      .toLowerCase() ?? "";
  return /^(application\/(json|yaml)|text\/plain)$/.test(type) ? `${type}; charset=utf-8` : "application/octet-stream";
}
