import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type Api,
  builtInResources,
  createAccountTokens,
  createApi,
  loadOrCreateIdentity,
  openMemoryStore,
  type RunningServer,
  serveHttps,
} from "@trivium/apiserver";
import { createClient, httpTransport } from "@trivium/client";
import type { KubeClient, Transport } from "@trivium/kube";
import type { GatewayPort, KeptSessions } from "../src/connection.ts";
import { createDashboard, type DashboardOptions } from "../src/dashboard.ts";
import { serveDashboard } from "../src/serve.ts";

export interface Fixture {
  readonly port: number;
  readonly api: Api;
  readonly client: KubeClient;
  /** Start tokens as they were published. */
  readonly tokens: string[];
  /** What was logged. */
  readonly logged: string[];
  /** A token of a service account that may do what the rules say, and nothing else. */
  account(name: string, rules: readonly object[]): Promise<string>;
  call(path: string, options?: CallOptions): Promise<Answer>;
  /** Logs in and returns the cookie. */
  logIn(token?: string): Promise<string>;
  /** Watches that resume from before receive 410: their version is gone. */
  forgetHistory(): void;
  stopApi(): Promise<void>;
  startApi(): Promise<void>;
  stop(): Promise<void>;
}

export interface CallOptions {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | object;
  readonly cookie?: string | undefined;
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage["headers"];
  readonly text: string;
  readonly json: Record<string, unknown> & { error?: { code: string; message: string } };
}

export interface FixtureOptions extends Partial<Pick<DashboardOptions, "isReadOnly" | "limits" | "patience" | "now">> {
  readonly login?: "start-token" | "cluster-token";
  readonly gateway?: GatewayPort;
  readonly assets?: Readonly<Record<string, string>>;
  readonly allowedHosts?: readonly string[];
  readonly inspect?: (source: string) => Promise<unknown>;
  readonly verify?: DashboardOptions["verify"];
  readonly kept?: KeptSessions;
  /** Between the dashboard and the API. */
  readonly around?: (transport: Transport) => Transport;
}

const page = { "index.html": "<!doctype html><title>Trivium</title>", "assets/app-1a2b.js": "export {};".repeat(300) };
const admin = { user: "tester", groups: ["system:masters"] };

/** The embedded API server over TLS, and a dashboard in front of it. */
export async function startFixture(options: FixtureOptions = {}): Promise<Fixture> {
  const folder = mkdtempSync(join(tmpdir(), "dashboard-"));
  writeAssets(join(folder, "pages"), options.assets ?? page);
  const identity = await loadOrCreateIdentity(join(folder, "identity"));
  const accountTokens = createAccountTokens(identity.accountKey);
  const store = openMemoryStore();
  const api = createApi({ store, resources: builtInResources(), tokens: accountTokens });
  await api.ready;
  const listen = (port: number) => serveHttps(api, { identity, port, tokens: api.tokenOwner });
  let server: RunningServer | undefined = await listen(0);
  const { port: apiPort, url } = server;
  const tokens: string[] = [];
  const logged: string[] = [];
  const around = options.around ?? ((transport) => transport);
  const connect = (token: string) => {
    const transport = httpTransport({ server: url, ca: identity.authority, token });
    return { transport: around(transport), server: url, namespace: "default", close: () => transport.close() };
  };
  const own = connect(identity.token);
  const dashboard = createDashboard({
    assets: join(folder, "pages"),
    login:
      options.login === "cluster-token"
        ? { is: "cluster-token", connect }
        : { is: "start-token", connection: own, kept: options.kept, publish: (token) => void tokens.push(token) },
    isReadOnly: options.isReadOnly ?? false,
    allowedHosts: options.allowedHosts ?? [],
    version: "1.2.3",
    gateway: options.gateway,
    inspect: options.inspect,
    verify: options.verify,
    log: (message, error) => void logged.push(`${message} ${error instanceof Error ? error.stack : error}`),
    ...(options.limits === undefined ? {} : { limits: options.limits }),
    ...(options.patience === undefined ? {} : { patience: options.patience }),
    ...(options.now === undefined ? {} : { now: options.now }),
  });
  const running = await serveDashboard(dashboard, { host: "127.0.0.1", port: 0 });
  const call = (path: string, how: CallOptions = {}) => send(running.port, path, how);
  const client = createClient(api.transport(admin));
  return {
    port: running.port,
    api,
    client,
    tokens,
    logged,
    call,
    account: (name, rules) => createAccount(api, name, rules),
    async logIn(token = tokens.at(-1) ?? "") {
      const { headers, text } = await call("/session", { method: "POST", body: { token } });
      const [cookie] = headers["set-cookie"] ?? [];
      if (cookie === undefined) throw new Error(`no log-in: ${text}`);
      return cookie.split(";", 1)[0] ?? "";
    },
    forgetHistory: () => void store.compact(store.revision),
    async stopApi() {
      await server?.close();
      server = undefined;
    },
    async startApi() {
      server = await listen(apiPort);
    },
    async stop() {
      await running.close();
      await own.close();
      await server?.close();
      await api.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function writeAssets(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(folder, name, ".."), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
}

async function createAccount(api: Api, name: string, rules: readonly object[]): Promise<string> {
  const transport = api.transport(admin);
  const post = async (path: string, body: object): Promise<{ status?: { token?: string } }> => {
    const headers = { accept: "application/json", "content-type": "application/json" };
    const answer = await transport({ method: "POST", path, headers, body: JSON.stringify(body) });
    if (answer.status >= 300) throw new Error(String(answer.body));
    return JSON.parse(String(answer.body));
  };
  const rbac = "/apis/rbac.authorization.k8s.io/v1";
  const accounts = "/api/v1/namespaces/default/serviceaccounts";
  await post(accounts, { metadata: { name } });
  await post(`${rbac}/clusterroles`, { metadata: { name }, rules });
  await post(`${rbac}/clusterrolebindings`, {
    metadata: { name },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name },
    subjects: [{ kind: "ServiceAccount", name, namespace: "default" }],
  });
  const { status } = await post(`${accounts}/${name}/token`, { spec: {} });
  return status?.token ?? "";
}

/** A request exactly as it is written: paths are not normalized, and headers are sent as they are. */
export function send(port: number, path: string, options: CallOptions = {}): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const outgoing = open(port, path, options);
  outgoing.on("error", reject);
  outgoing.on("response", (incoming: IncomingMessage) => {
    let text = "";
    incoming.setEncoding("utf8");
    incoming.on("data", (piece: string) => {
      text += piece;
    });
    incoming.on("end", () =>
      resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, text, json: jsonOf(text) }),
    );
  });
  return promise;
}

export function open(port: number, path: string, { method = "GET", headers = {}, body, cookie }: CallOptions = {}) {
  const isSafe = method === "GET" || method === "HEAD";
  const text = typeof body === "object" ? JSON.stringify(body) : body;
  const outgoing = httpRequest({
    host: "127.0.0.1",
    port,
    path,
    method,
    agent: false,
    headers: {
      ...(isSafe ? {} : { "x-trivium-request": "1" }),
      ...(text === undefined ? {} : { "content-type": "application/json", "content-length": Buffer.byteLength(text) }),
      ...(cookie === undefined ? {} : { cookie }),
      ...headers,
    },
  });
  outgoing.end(text);
  return outgoing;
}

function jsonOf(text: string): Answer["json"] {
  try {
    return JSON.parse(text);
  } catch {
    return {} as Answer["json"];
  }
}
