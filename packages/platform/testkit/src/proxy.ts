import type { IncomingMessage, ServerResponse } from "node:http";
import { Agent, createServer, request as send } from "node:https";
import type { AddressInfo } from "node:net";
import type { ServerIdentity } from "@trivium/apiserver";
import type { HttpAccess } from "@trivium/client";
import { answerOf, type FaultPlan, type ProxyFault, type Refused } from "./proxy-faults.ts";

export interface ProxyOptions {
  /** Where calls go on to, and as whom: the caller's own login ends at the proxy. */
  readonly upstream: HttpAccess;
  /** By which certificate callers know the proxy. */
  readonly identity: Pick<ServerIdentity, "server">;
  /** The user that upstream should take callers for, where the login may act for others. */
  readonly actAs?: string | undefined;
}

/** A call that was to change something. */
export interface ProxiedWrite {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly fault?: ProxyFault;
}

/** Stands between a client and an API server: sees every write, and lets some of them go wrong. */
export interface FaultProxy {
  readonly url: string;
  /** Every write so far, in the order of arrival; cleared by whoever looks. */
  readonly writes: ProxiedWrite[];
  /** From now on writes go wrong as planned; without a plan none does. */
  follow(plan?: FaultPlan): void;
  /** From now on every call, reads included, is answered with this failure; without one they go on to the server. */
  refuse(fault?: Refused): void;
  /** Breaks the connection of every watch; says how many there were. */
  cutWatches(): number;
  close(): Promise<void>;
}

export async function startFaultProxy(options: ProxyOptions): Promise<FaultProxy> {
  const { cert, key } = options.identity.server;
  const upstream = new Upstream(options);
  const watches = new Set<ServerResponse>();
  const writes: ProxiedWrite[] = [];
  const healthy: FaultPlan = () => undefined;
  let plan = healthy;
  let refused: Refused | undefined;

  const server = createServer({ cert, key, ALPNProtocols: ["http/1.1"], noDelay: true }, (request, response) => {
    const { method = "GET", url = "/" } = request;
    if (refused !== undefined) return tell(request, response, refused);
    if (method === "GET" || method === "HEAD") {
      if (/[?&]watch=(true|1)(&|$)/.test(url)) keepWhileOpen(watches, response);
      return upstream.pass(request, response);
    }
    const fault = plan();
    const [path = ""] = url.split("?", 1);
    writes.push({ method, path, ...(fault === undefined ? {} : { fault }) });
    if (fault === undefined) return upstream.pass(request, response);
    return fault === "lost-answer" ? upstream.lose(request, response) : tell(request, response, fault);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    writes,
    follow(next = healthy) {
      plan = next;
    },
    refuse(fault) {
      refused = fault;
    },
    cutWatches() {
      const open = [...watches];
      for (const response of open) response.destroy();
      return open.length;
    },
    close() {
      upstream.close();
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      return closed;
    },
  };
}

/** The server behind the proxy. A connection to it that fails is a connection to the proxy that fails: nothing is made up. */
class Upstream {
  readonly #options: ProxyOptions;
  readonly #origin: URL;
  readonly #agent: Agent;

  constructor(options: ProxyOptions) {
    const { ca, cert, key, serverName, server, skipTlsVerify } = options.upstream;
    this.#options = options;
    this.#origin = new URL(server);
    this.#agent = new Agent({
      keepAlive: true,
      ca,
      cert,
      key,
      rejectUnauthorized: skipTlsVerify !== true,
      ...(serverName === undefined ? {} : { servername: serverName }),
    });
  }

  pass(request: IncomingMessage, response: ServerResponse): void {
    this.#send(request, response, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      // A watch says that it has begun before it has anything to tell.
      response.flushHeaders();
      answer.on("error", () => response.destroy());
      answer.pipe(response);
    });
  }

  /** Has the call carried out, and gives the caller a failure instead of the answer. */
  lose(request: IncomingMessage, response: ServerResponse): void {
    this.#send(request, response, (answer) => {
      answer.on("error", () => response.destroy());
      answer.on("end", () => tell(request, response, "lost-answer"));
      answer.resume();
    });
  }

  close(): void {
    this.#agent.destroy();
  }

  #send(request: IncomingMessage, response: ServerResponse, take: (answer: IncomingMessage) => void): void {
    const { method, url } = request;
    const { hostname, port } = this.#origin;
    const onward = send({
      agent: this.#agent,
      host: hostname,
      port,
      method,
      path: url,
      headers: this.#headers(request),
    });
    onward.on("response", take);
    onward.on("error", () => response.destroy());
    response.on("close", () => {
      if (!response.writableFinished) onward.destroy();
    });
    request.pipe(onward);
  }

  #headers(request: IncomingMessage): Record<string, string | string[] | undefined> {
    const { authorization: _, connection: __, host: ___, ...headers } = request.headers;
    const { actAs, upstream } = this.#options;
    return {
      ...headers,
      ...(upstream.token === undefined ? {} : { authorization: `Bearer ${upstream.token}` }),
      ...(actAs === undefined ? {} : { "impersonate-user": actAs }),
    };
  }
}

function tell(request: IncomingMessage, response: ServerResponse, fault: ProxyFault | Refused): void {
  const { body, code, headers } = answerOf(fault);
  // The rest of the request is read, or the connection could not be used again.
  request.resume();
  response.writeHead(code, { ...headers, "content-length": Buffer.byteLength(body) }).end(body);
}

function keepWhileOpen(open: Set<ServerResponse>, response: ServerResponse): void {
  open.add(response);
  response.on("close", () => open.delete(response));
}
