import { constants } from "node:crypto";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import type { Transport } from "@trivium/kube";
import type { Identity } from "../identity.ts";
import type { ConnectRequest } from "../streaming/connect.ts";
import { noNode } from "../streaming/connect.ts";
import type { Connection } from "../streaming/connection.ts";
import { createAuthenticator, type TokenLookup } from "./authenticate.ts";
import { BodyBudget } from "./body-budget.ts";
import { answerBrokenRequests } from "./broken-request.ts";
import { type ExchangeContext, exchange } from "./exchange.ts";
import type { HealthCheck } from "./health.ts";
import { defaultLimits, type Limits } from "./limits.ts";
import type { ServerIdentity } from "./server-identity.ts";
import { isStreamed, upgrade } from "./upgrade.ts";

/** What is served: the API without sockets, seen by one caller. */
export interface ServedApi {
  transport(identity: Identity): Transport;
  /** Left out, nothing but plain HTTP is served. */
  connect?(identity: Identity, request: ConnectRequest): Promise<Connection>;
}

export interface HttpsOptions {
  readonly identity: ServerIdentity;
  /** The address to listen on; loopback unless another one is asked for. */
  readonly host?: string;
  /** 0, the default, takes a free one. */
  readonly port?: number;
  readonly checks?: readonly HealthCheck[];
  readonly limits?: Partial<Limits>;
  /** Finds the owners of bearer tokens other than the administrator's. */
  readonly tokens?: TokenLookup;
  /** Told of faults of the server itself, never of what clients do wrong. */
  readonly report?: (what: string, error: unknown) => void;
}

export interface RunningServer {
  readonly host: string;
  readonly port: number;
  /** `https://127.0.0.1:6443`, as it belongs into a kubeconfig. */
  readonly url: string;
  /** Takes no more connections, ends watches cleanly, lets requests under way finish, then resolves. */
  close(): Promise<void>;
}

/** Serves the API over TLS. Rejects with the error of the system when the port cannot be had. */
export async function serveHttps(api: ServedApi, options: HttpsOptions): Promise<RunningServer> {
  const limits: Limits = { ...defaultLimits, ...options.limits };
  const closing = new AbortController();
  const transports = new WeakMap<Identity, Transport>();
  const context: ExchangeContext = {
    limits,
    authenticate: createAuthenticator(options.identity, options.tokens),
    bodies: new BodyBudget(limits.allBodyBytes),
    checks: options.checks ?? [],
    closing: closing.signal,
    report: options.report ?? (() => {}),
    connect: async (identity, request) => {
      if (api.connect === undefined) throw noNode("streaming");
      return await api.connect(identity, request);
    },
    transportFor: (identity) => {
      let transport = transports.get(identity);
      if (transport === undefined) {
        transport = api.transport(identity);
        transports.set(identity, transport);
      }
      return transport;
    },
  };
  const server = createTlsServer(options.identity, limits);
  server.on("request", (request, response) => {
    void exchange(request, response, context);
    // A connection that falls idle while the server closes would hold it up for as long as it is kept.
    response.once("close", () => {
      if (closing.signal.aborted) setImmediate(() => server.closeIdleConnections());
    });
  });
  server.on("upgrade", (request, socket, head) => void upgrade(request, socket, head, context));
  const host = options.host ?? "127.0.0.1";
  const port = await listen(server, host, options.port ?? 0);
  return { host, port, url: urlOf(host, port), close: () => close(server, closing, limits) };
}

function createTlsServer({ authority, server: own }: ServerIdentity, limits: Limits): Server {
  const server = createServer({
    cert: own.cert,
    key: own.key,
    ca: authority,
    minVersion: "TLSv1.2",
    ALPNProtocols: ["http/1.1"],
    // Certificates are asked for but not demanded: a bearer token does as well, and a bad one is a 401, not a broken line.
    // Any other request for an upgrade is an ordinary request.
    shouldUpgradeCallback: ({ url = "/" }) => isStreamed(url),
    requestCert: true,
    rejectUnauthorized: false,
    // A resumed session would not show the client's certificate again.
    secureOptions: constants.SSL_OP_NO_TICKET,
    handshakeTimeout: limits.handshakeTime,
    maxHeaderSize: limits.headerBytes,
    headersTimeout: limits.headerTime,
    requestTimeout: limits.requestTime,
    keepAliveTimeout: limits.idleTime,
    connectionsCheckingInterval: Math.min(5_000, limits.headerTime),
    noDelay: true,
    // Finds out about peers that vanished during a quiet watch.
    keepAlive: true,
    keepAliveInitialDelay: 30_000,
  });
  server.maxConnections = limits.connections;
  readInOrder(server);
  answerBrokenRequests(server, limits);
  return server;
}

/**
 * Node hands decrypted bytes straight to its HTTP parser. One encrypted read may hold several records, and those behind the
 * one that paused the parser (because the last answer is still being written) are an error to it: the connection is reset in
 * the middle of a body. With a listener for data the bytes pass through the stream, which holds them back while it is paused.
 */
function readInOrder(server: Server): void {
  server.on("secureConnection", (socket) => socket.on("data", () => {}));
}

function listen(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host, port, backlog: 1024 }, () => {
      server.off("error", reject);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

/** A server on all addresses is reached here by loopback. */
function urlOf(host: string, port: number): string {
  const reachable = host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "::1" : host;
  return `https://${reachable.includes(":") ? `[${reachable}]` : reachable}:${port}`;
}

function close(server: Server, closing: AbortController, limits: Limits): Promise<void> {
  return new Promise((resolve) => {
    const force = setTimeout(() => server.closeAllConnections(), limits.closeTime);
    server.close(() => {
      clearTimeout(force);
      resolve();
    });
    closing.abort();
    server.closeIdleConnections();
  });
}
