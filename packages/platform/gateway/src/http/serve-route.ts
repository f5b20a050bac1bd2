import type { Backend } from "@trivium/domain";
import { type MatchedRoute, pickBackend, type RouteFilter, rewritePath, type WeightedBackend } from "@trivium/engines";
import { parseDuration } from "@trivium/std";
import { type Failure, fail } from "../failure.ts";
import type { Target } from "../upstream/target.ts";
import type { Targets } from "../upstream/targets.ts";
import { readBody } from "./body.ts";
import type { Exchange, Incoming } from "./exchange.ts";
import { type ForwardParts, forward, type Outgoing } from "./forward.ts";
import { changeHeaders } from "./header-filters.ts";
import { forwardedHeaders } from "./headers.ts";
import { mirror } from "./mirror.ts";
import { redirect } from "./redirect.ts";

export interface RouteParts extends ForwardParts {
  readonly targets: Targets;
  readonly withoutHeaders: ReadonlySet<string> | undefined;
}

/** A body of this size is read whole, so that it can be sent again; a larger one goes through as it comes. */
const wholeBytes = 256 * 1024;
const idempotent: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS", "PUT", "DELETE"]);

/** Sends a request where its HTTPRoute says. */
export function serveRoute(exchange: Exchange, matched: MatchedRoute, parts: RouteParts) {
  const { rule, entry } = matched;
  const redirection = rule.filters.find(({ requestRedirect }) => requestRedirect !== undefined)?.requestRedirect;
  if (redirection !== undefined) return redirect(exchange, redirection, entry.match);
  const picked = pickBackend(rule, parts.random());
  const failure = failureOf(picked, rule.route);
  if (failure !== undefined) {
    parts.metrics.refused(failure.code);
    return exchange.fail(failure);
  }
  const { backend, filters } = picked as Extract<WeightedBackend, { is: "backend" }>;
  const all = [...rule.filters, ...filters];
  const target = parts.targets.of(backend);
  const { body } = exchange;
  const length = exchange.request.headers["content-length"];
  if (!exchange.hasBody) return send(exchange, { target, matched, filters: all, body: null }, parts);
  exchange.wantBody();
  if (length === undefined || Number(length) > wholeBytes) {
    return send(exchange, { target, matched, filters: all, body }, parts);
  }
  readBody(body, wholeBytes, (read) => {
    if (read.is !== "body") return;
    exchange.run(() => send(exchange, { target, matched, filters: all, body: read.body }, parts));
  });
}

function failureOf(picked: WeightedBackend | undefined, route: string): Failure | undefined {
  if (picked?.is === "backend") return undefined;
  const [namespace, name] = route.split("/");
  const reader = `see kubectl describe httproute ${name} -n ${namespace}`;
  if (picked === undefined)
    return fail(500, "no_backend", `HTTPRoute ${route} has no backend for this request; ${reader}`);
  return fail(500, "invalid_backend", `HTTPRoute ${route}: ${picked.message}; ${reader}`);
}

interface Sending {
  readonly target: Target;
  readonly matched: MatchedRoute;
  readonly filters: readonly RouteFilter[];
  readonly body: Outgoing["body"];
}

function send(exchange: Exchange, { target, matched, filters, body }: Sending, parts: RouteParts): void {
  const outgoing = outgoingOf(exchange, { target, matched, filters, body }, parts);
  for (const { requestMirror } of filters) {
    if (requestMirror === undefined || (body !== null && !(body instanceof Buffer))) continue;
    const place = mirrorPlace(requestMirror.backendRef, matched);
    if (place !== undefined) mirror(requestMirror, parts.targets.of(place), outgoing, parts);
  }
  forward(exchange, target, outgoing, parts);
}

function mirrorPlace(
  { namespace, name, port }: { namespace?: string | undefined; name: string; port?: number | undefined },
  { rule }: MatchedRoute,
): Backend | undefined {
  const home = rule.route.slice(0, rule.route.indexOf("/"));
  // To another namespace only a ReferenceGrant leads, and the status of the route says so.
  return port === undefined || (namespace ?? home) !== home ? undefined : { namespace: home, service: name, port };
}

export function outgoingOf(incoming: Incoming, { matched, filters, body }: Sending, parts: RouteParts): Outgoing {
  const { request, query } = incoming;
  const rewrite = filters.find(({ urlRewrite }) => urlRewrite !== undefined)?.urlRewrite;
  const path = rewritePath(incoming.path, rewrite?.path, matched.entry.match);
  const host = rewrite?.hostname ?? request.headers.host ?? "";
  const requestChanges = filters.flatMap(({ requestHeaderModifier }) => requestHeaderModifier ?? []);
  const answerChanges = filters.flatMap(({ responseHeaderModifier }) => responseHeaderModifier ?? []);
  const headers = forwardedHeaders(request, { host, without: parts.withoutHeaders });
  const length = request.headers["content-length"];
  if (body !== null && !(body instanceof Buffer) && length !== undefined) headers.push("content-length", length);
  const method = request.method ?? "GET";
  return {
    method,
    path: query === "" ? path : `${path}?${query}`,
    headers: changeHeaders(headers, requestChanges),
    body,
    isRepeatable: idempotent.has(method),
    wantsEvents: false,
    isModelCall: false,
    changeAnswer: answerChanges.length === 0 ? undefined : (answer) => changeHeaders(answer, answerChanges),
    timeout: timeoutOf(matched.rule.timeouts.request),
    tryTimeout: timeoutOf(matched.rule.timeouts.backendRequest),
  };
}

/** Zero means no limit. */
function timeoutOf(text: string | undefined): number | undefined {
  return parseDuration(text ?? "") || undefined;
}
