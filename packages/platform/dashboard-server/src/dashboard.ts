import type { IncomingMessage, ServerResponse } from "node:http";
import { ApiError } from "@trivium/kube";
import { Refusal } from "@trivium/std";
import type { GatewayPort, Login } from "./connection.ts";
import { paths, type SessionInfo, type VerifyReport } from "./contract.ts";
import { readGatewayMetrics } from "./gateway/metrics.ts";
import { proxyGateway } from "./gateway/proxy.ts";
import { sendJson, sendRefusal } from "./http/answer.ts";
import { openAssets } from "./http/assets.ts";
import { Refused } from "./http/fault.ts";
import { readJson } from "./http/read-body.ts";
import { checkSameOrigin, checkSender, isSafe } from "./http/web-guard.ts";
import { proxyApi } from "./kubernetes/proxy.ts";
import { Attempts } from "./session/attempts.ts";
import { sessionIdOf } from "./session/cookie.ts";
import { createLogIn } from "./session/log-in.ts";
import { serveSession } from "./session/serve-session.ts";
import { defaultLimits, type Session, type SessionLimits, Sessions } from "./session/sessions.ts";
import { serveWatch } from "./watch/serve-watch.ts";

export interface DashboardOptions {
  /** The folder of the built pages. */
  readonly assets: string;
  readonly login: Login;
  readonly isReadOnly: boolean;
  /** Host names that it answers to besides local ones and addresses. */
  readonly allowedHosts: readonly string[];
  /** The option of the program that allows more host names, where it has one. */
  readonly hostsOption?: string;
  readonly version: string;
  /** Namespaces that this control plane is limited to. */
  readonly namespaces?: readonly string[] | undefined;
  /** For the page, which decides with the code of the dialects. Plain data. */
  readonly dialectOptions?: unknown;
  readonly gateway?: GatewayPort | undefined;
  /** What the headers of a model say, read where it is. */
  readonly inspect?: ((source: string) => Promise<unknown>) | undefined;
  /** Compares the weights of this machine with their checksums, and removes damaged files. */
  readonly verify?: (() => Promise<VerifyReport>) | undefined;
  /** What went wrong here, never what was sent. */
  log(message: string, error?: unknown): void;
  readonly limits?: SessionLimits;
  /** How long a page may leave what is sent to it unread. */
  readonly patience?: number;
  readonly now?: () => number;
}

export interface Dashboard {
  handle(request: IncomingMessage, response: ServerResponse): void;
  /** Ends all sessions and what runs for them. */
  close(): void;
}

const sweepEvery = 60_000;

/** The dashboard as a request handler. */
export function createDashboard(given: DashboardOptions): Dashboard {
  const options = { ...given, verify: shareRun(given.verify) };
  const { now = Date.now, limits = defaultLimits } = options;
  const assets = openAssets(options.assets);
  const sessions = new Sessions(limits, now);
  continueSessions(sessions, options.login);
  const describe = (session: Session | undefined) => describeSession(session, options);
  // A start token cannot be guessed, and a stranger who tries must not lock its owner out.
  const attempts = options.login.is === "cluster-token" ? new Attempts(now) : undefined;
  const service = { sessions, attempts, logIn: createLogIn(options.login), describe };
  const sweeping = setInterval(() => sessions.sweep(), sweepEvery);
  sweeping.unref();

  const route = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    checkSender(request, options);
    const { path, query } = splitTarget(request.url ?? "/");
    if (path === paths.session) {
      checkSameOrigin(request);
      return serveSession(request, response, service);
    }
    const serve = findService(path);
    if (serve === undefined) {
      if (!isSafe(request.method ?? "")) throw new Refused("MethodNotAllowed", "Pages can only be read");
      return assets.serve(request, response, path);
    }
    checkSameOrigin(request);
    const session = sessions.find(sessionIdOf(request));
    if (session === undefined) throw new Refused("LoginRequired", "Log in first");
    const signal = AbortSignal.any([session.signal, goneSignal(response)]);
    await serve({ request, response, session, path, query, signal, options });
  };

  return {
    handle(request, response) {
      response.on("error", () => undefined);
      route(request, response).catch((error: unknown) => sendRefusal(response, refusalOf(error, options)));
    },
    close() {
      clearInterval(sweeping);
      sessions.closeAll();
    },
  };
}

/** Reads many gigabytes: pages that ask for it while it runs share its result. */
function shareRun<R>(run: (() => Promise<R>) | undefined): (() => Promise<R>) | undefined {
  if (run === undefined) return undefined;
  let running: Promise<R> | undefined;
  return () => {
    running ??= run().finally(() => {
      running = undefined;
    });
    return running;
  };
}

/** A page that was logged in before a restart stays so. */
function continueSessions(sessions: Sessions, login: Login): void {
  if (login.is !== "start-token" || login.kept === undefined) return;
  const { kept, connection } = login;
  const { close: _, ...shared } = connection;
  sessions.continue(kept.load(), shared, kept.save);
}

interface Call {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly session: Session;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly signal: AbortSignal;
  readonly options: DashboardOptions;
}

type Service = (call: Call) => Promise<void>;

/** What needs a session. */
function findService(path: string): Service | undefined {
  if (path.startsWith(`${paths.kubernetes}/`))
    return (call) =>
      proxyApi({ ...call, path: path.slice(paths.kubernetes.length), isReadOnly: call.options.isReadOnly });
  if (path.startsWith(`${paths.gateway}/`))
    return (call) => proxyGateway({ ...call, gateway: call.options.gateway, path: path.slice(paths.gateway.length) });
  return exact.get(path);
}

const exact: ReadonlyMap<string, Service> = new Map<string, Service>([
  [paths.watch, (call) => serveWatch({ ...call, patience: call.options.patience })],
  [
    paths.gatewayMetrics,
    async ({ request, response, session, signal, options }) => {
      if (!isSafe(request.method ?? "")) throw new Refused("MethodNotAllowed", `${paths.gatewayMetrics} takes GET`);
      sendJson(response, 200, await readGatewayMetrics(options.gateway, session, signal));
    },
  ],
  [paths.inspect, inspectModel],
  [paths.verify, verifyWeights],
]);

const maxInspectBytes = 8 * 1024;

async function inspectModel({ request, response, options }: Call): Promise<void> {
  if (request.method !== "POST") throw new Refused("MethodNotAllowed", `${paths.inspect} takes POST`);
  if (options.inspect === undefined) throw new Refused("NotFound", "This dashboard does not inspect models");
  const { source } = await readJson(request, maxInspectBytes);
  if (typeof source !== "string" || source.trim() === "")
    throw new Refused("BadRequest", "source must be a Hub ID or an address");
  sendJson(response, 200, await options.inspect(source.trim()));
}

async function verifyWeights({ request, response, options }: Call): Promise<void> {
  if (request.method !== "POST") throw new Refused("MethodNotAllowed", `${paths.verify} takes POST`);
  if (options.verify === undefined) throw new Refused("NotFound", "This dashboard does not verify weights");
  if (options.isReadOnly) throw new Refused("ReadOnly", "The dashboard is read-only; run trivium models verify");
  sendJson(response, 200, await options.verify());
}

function describeSession(session: Session | undefined, options: DashboardOptions): SessionInfo {
  const { login, isReadOnly, version, gateway, inspect, verify } = options;
  const common = { needsLogin: session === undefined, isReadOnly, version };
  const kind = login.is;
  if (session === undefined) return { ...common, login: kind };
  const { connection, user } = session;
  return {
    ...common,
    login: kind,
    user,
    server: connection.server,
    namespace: connection.namespace,
    ...(options.namespaces === undefined ? {} : { namespaces: options.namespaces }),
    ...(options.dialectOptions === undefined ? {} : { dialectOptions: options.dialectOptions }),
    features: {
      hasGateway: gateway !== undefined,
      ...(gateway === undefined ? {} : { gatewayAddress: gateway.address ?? gateway.url }),
      hasGatewayMetrics: gateway?.metrics !== undefined,
      hasInspect: inspect !== undefined,
      hasVerify: verify !== undefined,
    },
  };
}

/** The raw path: what is encoded in it is decoded where it is used, once. */
function splitTarget(url: string): { path: string; query: URLSearchParams } {
  if (!url.startsWith("/")) throw new Refused("BadRequest", "Path is not valid");
  const [path = "/", search = ""] = url.split("?", 2);
  return { path, query: new URLSearchParams(search) };
}

function goneSignal(response: ServerResponse): AbortSignal {
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  return gone.signal;
}

/** What the sender reads. An unexpected error is logged, and its message stays here: it may hold anything. */
function refusalOf(error: unknown, { log }: DashboardOptions): Refused {
  if (error instanceof Refused) return error;
  if (error instanceof Refusal) return new Refused("BadRequest", error.message);
  if (error instanceof ApiError) return new Refused("Unavailable", `Kubernetes API: ${error.message}`);
  if (isNoAnswer(error)) return new Refused("Unavailable", "The Kubernetes API does not respond; try again");
  log("the dashboard failed to serve a request", error);
  return new Refused("InternalError", "The dashboard failed to serve this request; see its log");
}

/** A connection that failed or ended: errors of the system and of the HTTP client carry a code. */
const isNoAnswer = (error: unknown): boolean =>
  error instanceof Error && ("code" in error || error.name === "AbortError");
