import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { getCACertificates } from "node:tls";
import { Agent, type Dispatcher, ProxyAgent } from "undici";
import { WeightsError } from "../../fault.ts";
import { type AddressGuard, type AddressRule, guardOf } from "./address-guard.ts";
import { proxyOf } from "./proxy-choice.ts";
import { parseRetryAfter } from "./retry.ts";
import { tlsFault } from "./tls-fault.ts";

export interface HttpRequest {
  readonly method: "GET" | "HEAD" | "POST" | "PUT";
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** Sent only to the origin of `url`, never along a redirect to another one. */
  readonly credentials?: Readonly<Record<string, string>>;
  /** Goes to `url` alone; such a request is never sent along a redirect. */
  readonly body?: string;
  readonly signal: AbortSignal;
}

export interface HttpAnswer {
  readonly status: number;
  readonly url: URL;
  /** The answers on the way here, first to last; a Hub puts facts on its redirects. */
  readonly redirects: readonly HttpHeaders[];
  readonly headers: HttpHeaders;
  readonly body: Dispatcher.ResponseData["body"];
}

export type HttpHeaders = (name: string) => string | undefined;

export interface HttpClient {
  send(request: HttpRequest): Promise<HttpAnswer>;
  close(): Promise<void>;
}

export interface HttpClientOptions {
  /** Where proxies and certificates are named: `HTTPS_PROXY`, `HTTP_PROXY`, `NO_PROXY`, `SSL_CERT_FILE`, `TRIVIUM_WEIGHTS_CERTIFICATES`. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** `public` refuses loopback, link-local and private addresses: for requests that a tenant can point anywhere. */
  readonly addresses: AddressRule;
}

const maxRedirects = 10;
const redirectStatus = new Set([301, 302, 303, 307, 308]);

export function createHttpClient(options: HttpClientOptions): HttpClient {
  const guard = guardOf(options.addresses);
  const ways = createWays(options.environment, guard);
  return {
    send: (wanted) => follow(ways, wanted, guard),
    close: () => ways.close(),
  };
}

async function follow(ways: Ways, wanted: HttpRequest, guard: AddressGuard | undefined): Promise<HttpAnswer> {
  const redirects: HttpHeaders[] = [];
  let url = wanted.url;
  for (;;) {
    const way = ways.to(url);
    await checkAddress(url, way, guard);
    const isHome = url.origin === wanted.url.origin;
    const answer = await sendOnce(way.dispatcher, { ...wanted, url }, isHome);
    const headers: HttpHeaders = (name) => firstOf(answer.headers[name]);
    const location = headers("location");
    const isFollowed = wanted.method === "GET" || wanted.method === "HEAD";
    if (!isFollowed || !redirectStatus.has(answer.statusCode) || location === undefined) {
      return { status: answer.statusCode, url, redirects, headers, body: answer.body };
    }
    await answer.body.dump({ limit: 65_536 }).catch(() => {});
    if (redirects.length >= maxRedirects) {
      throw new WeightsError(
        "unreachable",
        "Unreachable",
        `${showUrl(wanted.url)}: more than ${maxRedirects} redirects`,
      );
    }
    redirects.push(headers);
    url = nextUrl(url, location);
  }
}

async function sendOnce(
  dispatcher: Dispatcher,
  wanted: HttpRequest,
  isHome: boolean,
): Promise<Dispatcher.ResponseData> {
  const { method, url, signal } = wanted;
  const headers = { "user-agent": "trivium-weights", "accept-encoding": "identity", ...wanted.headers };
  try {
    return await dispatcher.request({
      origin: url.origin,
      path: url.pathname + url.search,
      method,
      signal,
      headers: isHome ? { ...headers, ...wanted.credentials } : headers,
      ...(wanted.body === undefined ? {} : { body: wanted.body }),
      headersTimeout: 60_000,
      // Whoever reads the body watches it; see watchdog.ts.
      bodyTimeout: 0,
    });
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    const cause = rootCause(error);
    if (cause instanceof WeightsError) throw cause;
    const text = tlsFault(cause, url.host) ?? (cause instanceof Error ? cause.message || cause.name : String(cause));
    throw new WeightsError("unreachable", "Unreachable", `${showUrl(url)}: ${text}`, { cause: error });
  }
}

/** A refused connection to a name with several addresses comes as a bundle of errors; the first says it all. */
function rootCause(error: unknown): unknown {
  if (error instanceof AggregateError && error.errors.length > 0) return error.errors[0];
  if (error instanceof Error && error.cause instanceof WeightsError) return error.cause;
  return error;
}

function nextUrl(from: URL, location: string): URL {
  const next = URL.parse(location, from.href);
  if (next === null || (next.protocol !== "http:" && next.protocol !== "https:")) {
    throw new WeightsError("not-allowed", "UnsafeRedirect", `${showUrl(from)}: redirects to an invalid URL`);
  }
  if (from.protocol === "https:" && next.protocol === "http:") {
    throw new WeightsError(
      "not-allowed",
      "UnsafeRedirect",
      `${showUrl(from)}: redirects from https to http at ${next.host}`,
    );
  }
  next.username = "";
  next.password = "";
  return next;
}

/** A proxy looks names up itself, so that they are judged before it is asked. */
async function checkAddress(url: URL, { isProxied }: Way, guard: AddressGuard | undefined): Promise<void> {
  if (guard === undefined) return;
  if (isProxied ? await guard.judge(url.hostname) : guard.allows(url.hostname)) return;
  throw new WeightsError(
    "not-allowed",
    "AddressNotAllowed",
    `${showUrl(url)}: its address is private or reserved, which is not allowed`,
  );
}

/** For people: no user, no password, no query, since signed addresses keep their secrets there. */
export function showUrl(url: URL): string {
  return `${url.protocol}//${url.host}${url.pathname}`;
}

/** Throws what an answer that is no success means; the same for every scheme over HTTP. */
export function faultOfStatus(answer: HttpAnswer, shownAs: string): WeightsError {
  const { status } = answer;
  if (status === 401)
    return new WeightsError("not-allowed", "TokenRejected", `${shownAs}: the server requires authentication (401)`);
  if (status === 403) return new WeightsError("not-allowed", "AccessDenied", `${shownAs}: access denied (403)`);
  if (status === 404 || status === 410)
    return new WeightsError("not-found", "NotFound", `${shownAs}: not found (${status})`);
  if (status === 416 || status === 412) {
    return new WeightsError(
      "unreachable",
      "UpstreamChanged",
      `${shownAs}: the file changed since it was listed (${status})`,
    );
  }
  const retryAfterMs = parseRetryAfter(answer.headers("retry-after"), Date.now());
  const message = `${shownAs}: the server responded with ${status}`;
  const isPassing =
    status === 408 || status === 425 || status === 429 || (status >= 500 && status !== 501 && status !== 505);
  if (!isPassing) return new WeightsError("refused", "Rejected", message);
  return new WeightsError("unreachable", "Unreachable", message, {
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    isOverload: status === 429 || status === 503,
  });
}

/** How a request gets out: straight, or through a proxy. */
interface Way {
  readonly dispatcher: Dispatcher;
  readonly isProxied: boolean;
}

interface Ways {
  to(url: URL): Way;
  close(): Promise<void>;
}

function createWays(environment: HttpClientOptions["environment"], guard: AddressGuard | undefined): Ways {
  const ca = ownCertificates(environment);
  const trust = ca === undefined ? {} : { ca };
  const connect = { timeout: 15_000, ...trust };
  const common = { connections: 64, keepAliveTimeout: 10_000, maxHeaderSize: 32_768 };
  const lookup = guard === undefined ? {} : { lookup: guard.lookup };
  const straight = { dispatcher: new Agent({ ...common, connect: { ...connect, ...lookup } }), isProxied: false };
  const proxied = new Map<string, Way>();
  const through = (uri: string): Way => {
    const known = proxied.get(uri);
    if (known !== undefined) return known;
    // Where the proxy is was chosen by whoever runs this, and is not judged.
    const dispatcher = new ProxyAgent({ ...common, uri, connect, requestTls: trust, proxyTls: trust });
    const way = { dispatcher, isProxied: true };
    proxied.set(uri, way);
    return way;
  };
  return {
    to(url) {
      const proxy = proxyOf(url, environment);
      return proxy === undefined ? straight : through(proxy);
    },
    async close() {
      await Promise.all([straight, ...proxied.values()].map(({ dispatcher }) => dispatcher.destroy()));
    },
  };
}

/**
 * Besides the default ones, never in their place. Those of `NODE_EXTRA_CA_CERTS` are defaults of Node; these are the names that other
 * tools of the trade read, and one of ours for a folder, such as a mounted ConfigMap.
 */
function ownCertificates(environment: HttpClientOptions["environment"]): string[] | undefined {
  const file = environment.SSL_CERT_FILE || environment.REQUESTS_CA_BUNDLE || environment.CURL_CA_BUNDLE;
  const folder = environment.TRIVIUM_WEIGHTS_CERTIFICATES;
  if (!file && !folder) return undefined;
  return [
    ...getCACertificates("default"),
    ...(file ? [certificateIn(file)] : []),
    ...(folder ? certificatesUnder(folder) : []),
  ];
}

function certificatesUnder(folder: string): string[] {
  let names: string[];
  try {
    names = readdirSync(folder);
  } catch (error) {
    throw unreadable(folder, error);
  }
  // Mounted ConfigMaps have folders of their own beside the files, and their names start with dots.
  return names
    .filter((name) => /\.(crt|pem|cer)$/.test(name))
    .sort()
    .map((name) => certificateIn(join(folder, name)));
}

function certificateIn(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw unreadable(path, error);
  }
}

const unreadable = (path: string, cause: unknown): WeightsError =>
  new WeightsError("refused", "InvalidOption", `${path}: cannot read the certificates`, { cause });

function firstOf(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}
