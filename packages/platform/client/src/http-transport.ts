import { setImmediate as nextTurn } from "node:timers/promises";
import type { SecureContext } from "node:tls";
import type { ApiRequest, ApiResponse, Transport } from "@trivium/kube";
import type { Pool } from "undici";
import { type Credentials, fixedCredentials, type Login, tokenFileCredentials } from "./credentials.ts";
import { type RateLimit, withRateLimit } from "./rate-limit.ts";
import { withRetries } from "./retries.ts";

/** How a server is reached and who calls it. `loadKubeconfig` and `inClusterAccess` give one. */
export interface HttpAccess {
  /** `https://host:port`, with a path where the API is served under one. */
  readonly server: string;
  /** PEM of the authorities to trust; the system's when left out. */
  readonly ca?: string | undefined;
  /** The name the server's certificate is checked against, where it differs from the host. */
  readonly serverName?: string | undefined;
  readonly skipTlsVerify?: boolean | undefined;
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
  readonly token?: string | undefined;
  /** Read again when it changes; wins over `token`. */
  readonly tokenFile?: string | undefined;
  /** Wins over all of the above ways to log in. */
  readonly credentials?: Credentials | undefined;
}

export interface HttpOptions extends HttpAccess {
  readonly userAgent?: string;
  /** How long an ordinary call may be silent. Watches and followed logs may be silent for ever once they are open. */
  readonly timeout?: number;
  /** How long a connection, with its TLS handshake, may take to open. */
  readonly connectTimeout?: number;
  readonly rateLimit?: RateLimit;
  /** Calls beyond so many at once wait for a connection, which is cheaper than a TLS handshake for each. Not for watches: they would wait too. */
  readonly connections?: number;
}

export interface HttpTransport extends Transport {
  /** Ends everything under way and closes the connections. */
  close(): Promise<void>;
}

/** Calls over HTTP/1.1 with kept-alive connections. Each watch has a connection of its own, so none waits behind another. */
export function httpTransport(options: HttpOptions): HttpTransport {
  const credentials = credentialsOf(options);
  const pools = poolOwner(options);
  const origin = new URL(options.server);
  const prefix = origin.pathname.replace(/\/+$/, "");

  const once = async (request: ApiRequest): Promise<ApiResponse> => {
    const login = await credentials.current();
    const pool = await pools.poolFor(login);
    const stream = isStream(request);
    const answer = await pool.request({
      method: request.method,
      path: prefix + request.path,
      headers: headersOf(request, login, options),
      body: request.body ?? null,
      ...(request.signal === undefined ? {} : { signal: request.signal }),
      ...(stream ? { bodyTimeout: 0 } : {}),
    });
    const headers = answer.headers as Record<string, string | string[]>;
    const body = stream && answer.statusCode < 400 ? textPieces(answer.body) : await wholeText(answer.body);
    return { status: answer.statusCode, headers, body };
  };

  const loggedIn = async (request: ApiRequest): Promise<ApiResponse> => {
    const response = await once(request);
    return response.status === 401 && credentials.refused() ? once(request) : response;
  };

  const limited = options.rateLimit === undefined ? loggedIn : withRateLimit(loggedIn, options.rateLimit);
  return Object.assign(withRetries(limited), { close: pools.close });
}

function credentialsOf(options: HttpOptions): Credentials {
  const { cert, key, token, tokenFile } = options;
  if (options.credentials !== undefined) return options.credentials;
  if (tokenFile !== undefined) return tokenFileCredentials(tokenFile, { cert, key });
  return fixedCredentials({ cert, key, authorization: token ? `Bearer ${token}` : undefined });
}

function headersOf(request: ApiRequest, login: Login, options: HttpOptions): Record<string, string> {
  return {
    "user-agent": options.userAgent ?? "trivium",
    ...request.headers,
    ...(login.authorization === undefined ? {} : { authorization: login.authorization }),
  };
}

/** A client certificate belongs to the connection: another certificate means other connections. */
function poolOwner(options: HttpOptions) {
  let held: { readonly login: Login; readonly pool: Promise<Pool> } | undefined;
  const open = new Set<Promise<Pool>>();
  return {
    poolFor(login: Login): Promise<Pool> {
      if (held !== undefined && held.login.cert === login.cert && held.login.key === login.key) return held.pool;
      const outgoing = held;
      held = { login, pool: openPool(options, login) };
      open.add(held.pool);
      if (outgoing !== undefined) retire(outgoing.pool);
      return held.pool;
    },
    async close(): Promise<void> {
      held = undefined;
      await Promise.all([...open].map(async (pool) => (await pool).destroy()));
      open.clear();
    },
  };

  function retire(pool: Promise<Pool>): void {
    pool.then((old) => old.close()).finally(() => open.delete(pool));
  }
}

/** Longer than an API server gives itself for a request (60 s): a busy one answers late, or says itself that it cannot. */
const defaultTimeout = 90_000;

/** A refused connection is known at once; one that takes this long is most likely to a machine with too much to do. */
const defaultConnectTimeout = 30_000;

/** The HTTP library is loaded on the first call: a process that only talks to its own embedded server never pays for it. */
async function openPool(options: HttpOptions, login: Login): Promise<Pool> {
  const { Pool } = await import("./pool.ts");
  const { timeout = defaultTimeout, connectTimeout = defaultConnectTimeout } = options;
  const { origin, protocol } = new URL(options.server);
  const secureContext = protocol === "https:" ? { secureContext: await secureContextOf(options, login) } : {};
  return new Pool(origin, {
    allowH2: false,
    headersTimeout: timeout,
    bodyTimeout: timeout,
    keepAliveTimeout: 30_000,
    ...(options.connections === undefined ? {} : { connections: options.connections }),
    connect: {
      timeout: connectTimeout,
      ...secureContext,
      ...(options.serverName === undefined ? {} : { servername: options.serverName }),
      rejectUnauthorized: options.skipTlsVerify !== true,
    },
  });
}

/** Certificates and keys are parsed once for all connections: an operator has one for each kind that it watches. */
async function secureContextOf({ ca }: HttpOptions, { cert, key }: Login): Promise<SecureContext> {
  const { createSecureContext } = await import("node:tls");
  return createSecureContext({
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
  });
}

function isStream(request: ApiRequest): boolean {
  const isFollowed = request.method === "GET" && /[?&](watch|follow)=(true|1)(&|$)/.test(request.path);
  return isFollowed || request.isStreamed === true;
}

/**
 * A connection can be used again one turn of the event loop after the end of its answer. A caller that goes on sooner would open another one,
 * as each list with the watch that follows it.
 */
async function wholeText(body: { text(): Promise<string> }): Promise<string> {
  const text = await body.text();
  await nextTurn();
  return text;
}

/** Bytes to text, where a character may begin in one piece and end in the next. */
async function* textPieces(body: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  for await (const bytes of body) {
    const text = decoder.decode(bytes, { stream: true });
    if (text !== "") yield text;
  }
  const rest = decoder.decode();
  if (rest !== "") yield rest;
}
