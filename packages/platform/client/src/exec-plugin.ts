import { execFile } from "node:child_process";
import { type Credentials, cachedCredentials, type Login } from "./credentials.ts";

/** The `exec` section of a kubeconfig user: a program that prints an ExecCredential. */
export interface ExecPlugin {
  readonly apiVersion?: string;
  readonly command: string;
  readonly args?: readonly string[];
  readonly env?: readonly { readonly name: string; readonly value: string }[];
  readonly installHint?: string;
  readonly provideClusterInfo?: boolean;
}

interface ExecCredential {
  readonly status?: {
    readonly token?: string;
    readonly clientCertificateData?: string;
    readonly clientKeyData?: string;
    readonly expirationTimestamp?: string;
  };
}

const defaultVersion = "client.authentication.k8s.io/v1";
/** A login is renewed a little before it ends, so that no call is sent with one that ends on the way. */
const margin = 10_000;

export function execCredentials(plugin: ExecPlugin, cluster: Record<string, unknown>): Credentials {
  return cachedCredentials(async () => {
    const credential = parseCredential(plugin, await runPlugin(plugin, cluster));
    const expires = Date.parse(credential.expirationTimestamp ?? "");
    return {
      login: loginOf(credential),
      goodUntil: Number.isNaN(expires) ? Number.POSITIVE_INFINITY : expires - margin,
    };
  });
}

function loginOf(status: NonNullable<ExecCredential["status"]>): Login {
  return {
    authorization: status.token ? `Bearer ${status.token}` : undefined,
    cert: status.clientCertificateData,
    key: status.clientKeyData,
  };
}

function parseCredential(plugin: ExecPlugin, output: string): NonNullable<ExecCredential["status"]> {
  let status: ExecCredential["status"];
  try {
    status = (JSON.parse(output) as ExecCredential).status;
  } catch {
    throw new Error(`credential plugin ${plugin.command} did not print JSON`);
  }
  if (status?.token || (status?.clientCertificateData && status.clientKeyData)) return status;
  throw new Error(`credential plugin ${plugin.command} returned neither a token nor a client certificate`);
}

function runPlugin(plugin: ExecPlugin, cluster: Record<string, unknown>): Promise<string> {
  const request = {
    kind: "ExecCredential",
    apiVersion: plugin.apiVersion ?? defaultVersion,
    spec: { interactive: false, ...(plugin.provideClusterInfo ? { cluster } : {}) },
  };
  const extra = Object.fromEntries((plugin.env ?? []).map(({ name, value }) => [name, value]));
  const env = { ...process.env, ...extra, KUBERNETES_EXEC_INFO: JSON.stringify(request) };
  return new Promise((resolve, reject) => {
    execFile(plugin.command, [...(plugin.args ?? [])], { env, timeout: 60_000 }, (error, stdout) => {
      if (error === null) return resolve(stdout);
      // What the plugin printed may hold secrets; the exit code and the hint are enough to act on.
      const why = error.code === "ENOENT" ? "is not installed" : `failed (${error.code ?? error.signal})`;
      reject(
        new Error(`credential plugin ${plugin.command} ${why}${plugin.installHint ? `: ${plugin.installHint}` : ""}`),
      );
    });
  });
}
