import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import { parse } from "yaml";
import { type Credentials, fixedCredentials } from "./credentials.ts";
import { type ExecPlugin, execCredentials } from "./exec-plugin.ts";
import type { HttpAccess } from "./http-transport.ts";

export interface KubeconfigSource {
  /** One file, or several separated as in `$KUBECONFIG`. Left out: `$KUBECONFIG`, then `~/.kube/config`. */
  readonly path?: string | undefined;
  /** The current one when left out. */
  readonly context?: string | undefined;
  readonly env?: Readonly<Record<string, string | undefined>>;
}

export interface ClusterAccess extends HttpAccess {
  readonly context: string;
  readonly namespace: string;
}

/** How to reach the cluster that a kubeconfig names. Of entries with the same name in several files the first counts. */
export async function loadKubeconfig(source: KubeconfigSource | string = {}): Promise<ClusterAccess> {
  const request = typeof source === "string" ? { path: source } : source;
  const config = await readAll(pathsOf(request));
  const contextName = request.context ?? config.currentContext;
  if (!contextName)
    throw new Error(`no context is selected in ${config.where}; set current-context, or choose a context`);
  const { context } = find(config.contexts, contextName, `context "${contextName}"`, config);
  const { cluster, home } = find(config.clusters, context?.cluster, `cluster "${context?.cluster}"`, config);
  const { user, home: userHome } = context?.user
    ? find(config.users, context.user, `user "${context.user}"`, config)
    : { user: {}, home };
  return {
    ...(await serverOf(cluster ?? {}, home, config.where)),
    ...(await loginOf(user ?? {}, userHome, cluster ?? {})),
    context: contextName,
    namespace: context?.namespace || "default",
  };
}

export function kubeconfigPaths(env: Readonly<Record<string, string | undefined>>): string[] {
  const listed = (env.KUBECONFIG ?? "").split(delimiter).filter((path) => path !== "");
  return listed.length > 0 ? listed : [join(env.HOME ?? homedir(), ".kube", "config")];
}

function pathsOf(source: KubeconfigSource): string[] {
  return source.path === undefined ? kubeconfigPaths(source.env ?? process.env) : source.path.split(delimiter);
}

interface Merged {
  where: string;
  currentContext: string | undefined;
  contexts: Entry[];
  clusters: Entry[];
  users: Entry[];
}
/** `home` is the folder of the file an entry came from: its relative paths start there. */
interface Entry {
  name: string;
  home: string;
  context?: { cluster?: string; user?: string; namespace?: string } | null;
  cluster?: ClusterEntry | null;
  user?: UserEntry | null;
}
interface ClusterEntry {
  server?: string;
  "certificate-authority"?: string;
  "certificate-authority-data"?: string;
  "insecure-skip-tls-verify"?: boolean;
  "tls-server-name"?: string;
  "proxy-url"?: string;
}
interface UserEntry {
  token?: string;
  tokenFile?: string;
  username?: string;
  password?: string;
  "client-certificate"?: string;
  "client-certificate-data"?: string;
  "client-key"?: string;
  "client-key-data"?: string;
  exec?: ExecPlugin;
  "auth-provider"?: unknown;
  as?: string;
}

const unreadable: Readonly<Record<string, string>> = {
  ENOENT: "file not found",
  EISDIR: "it is a folder; name a file in it",
  EACCES: "permission denied; check its owner and mode",
};

async function readAll(paths: readonly string[]): Promise<Merged> {
  const merged: Merged = { where: paths.join(", "), currentContext: undefined, contexts: [], clusters: [], users: [] };
  let found = 0;
  for (const path of paths) {
    const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT" && paths.length > 1) return undefined;
      throw new Error(`cannot read kubeconfig ${path}: ${unreadable[error.code ?? ""] ?? error.message}`);
    });
    if (text === undefined) continue;
    found += 1;
    mergeFile(merged, parseFile(text, path), dirname(resolve(path)));
  }
  if (found === 0) throw new Error(`cannot read kubeconfig: none of ${merged.where} exists`);
  return merged;
}

type File = { "current-context"?: string; contexts?: Entry[]; clusters?: Entry[]; users?: Entry[] };

function parseFile(text: string, path: string): File {
  let value: unknown;
  try {
    value = parse(text);
  } catch (error) {
    throw new Error(`kubeconfig ${path} is not valid YAML: ${(error as Error).message.split("\n", 1)[0]}`);
  }
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as File;
  throw new Error(`kubeconfig ${path} contains no configuration; choose another one`);
}

function mergeFile(into: Merged, file: File, home: string): void {
  into.currentContext ??= file["current-context"] || undefined;
  for (const list of ["contexts", "clusters", "users"] as const) {
    for (const entry of file[list] ?? []) {
      if (!into[list].some(({ name }) => name === entry.name)) into[list].push({ ...entry, home });
    }
  }
}

function find(entries: readonly Entry[], name: string | undefined, what: string, config: Merged): Entry {
  const entry = entries.find((candidate) => candidate.name === name);
  if (entry !== undefined) return entry;
  const names = entries.map((candidate) => candidate.name).join(", ");
  throw new Error(`${what} not found in kubeconfig ${config.where}; available: ${names || "none"}`);
}

async function serverOf(cluster: ClusterEntry, home: string, where: string): Promise<HttpAccess> {
  if (!cluster.server) throw new Error(`cluster in ${where} has no server address`);
  if (cluster["proxy-url"])
    throw new Error(`cluster in ${where} sets a proxy, which is not supported; remove proxy-url`);
  const server = /^https?:\/\//.test(cluster.server) ? cluster.server : `https://${cluster.server}`;
  return {
    server,
    ca: await pemOf(cluster["certificate-authority-data"], cluster["certificate-authority"], home),
    skipTlsVerify: cluster["insecure-skip-tls-verify"],
    serverName: cluster["tls-server-name"],
  };
}

async function loginOf(user: UserEntry, home: string, cluster: ClusterEntry): Promise<Partial<HttpAccess>> {
  // Acting as oneself where the file says to act as another would use rights that were not meant.
  if (user.as) throw new Error("kubeconfig user impersonates another user (as), which is not supported; remove it");
  if (user["auth-provider"]) {
    throw new Error("kubeconfig user has an auth-provider, which Kubernetes has removed; use an exec plugin");
  }
  if (user.exec) return { credentials: execCredentials(user.exec, clusterForPlugin(cluster)) };
  const cert = await pemOf(user["client-certificate-data"], user["client-certificate"], home);
  const key = await pemOf(user["client-key-data"], user["client-key"], home);
  const tokenFile = user.tokenFile === undefined ? undefined : resolve(home, user.tokenFile);
  return { cert, key, token: user.token, tokenFile, credentials: basicLogin(user, { cert, key }) };
}

function basicLogin(
  user: UserEntry,
  pair: { cert: string | undefined; key: string | undefined },
): Credentials | undefined {
  if (!user.username || user.password === undefined) return undefined;
  const secret = Buffer.from(`${user.username}:${user.password}`).toString("base64");
  return fixedCredentials({ ...pair, authorization: `Basic ${secret}` });
}

function clusterForPlugin(cluster: ClusterEntry): Record<string, unknown> {
  return {
    server: cluster.server,
    "certificate-authority-data": cluster["certificate-authority-data"],
    "insecure-skip-tls-verify": cluster["insecure-skip-tls-verify"],
    "tls-server-name": cluster["tls-server-name"],
  };
}

/** Inline material is base64 of PEM and wins over a file. */
async function pemOf(inline: string | undefined, file: string | undefined, home: string): Promise<string | undefined> {
  if (inline) return Buffer.from(inline, "base64").toString("utf8");
  if (!file) return undefined;
  const path = resolve(home, file);
  return readFile(path, "utf8").catch(() => {
    throw new Error(`kubeconfig refers to ${path}, which cannot be read`);
  });
}
