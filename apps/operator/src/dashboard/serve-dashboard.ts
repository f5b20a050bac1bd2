import { readFile } from "node:fs/promises";
import { type ClusterAccess, httpTransport } from "@trivium/client";
import {
  type Connection,
  createDashboard,
  type DashboardServer,
  fetchMetrics,
  findAssets,
  type GatewayPort,
  serveDashboard,
} from "@trivium/dashboard-server";
import type { Log } from "@trivium/runtime";
import { Refusal } from "@trivium/std";
import type { OperatorOptions } from "../options/options.ts";
import { version } from "../version.ts";

/**
 * The dashboard for users of the cluster. It has no rights of its own: each session calls the API server with the token that its user gave,
 * and nothing of the operator's own login goes along.
 */
export async function startDashboard(
  options: OperatorOptions,
  access: ClusterAccess,
  log: Log,
): Promise<DashboardServer | undefined> {
  const { port, hosts, isReadOnly } = options.dashboard;
  if (port === undefined) return undefined;
  const { aim, ome, llmkube, namespace } = options;
  const dashboard = createDashboard({
    assets: findAssets(),
    login: { is: "cluster-token", connect: (token) => connectAs(token, access, namespace) },
    isReadOnly,
    allowedHosts: hosts,
    hostsOption: "--dashboard-hosts",
    version,
    dialectOptions: { aim, ome, llmkube },
    namespaces: namespace === undefined ? undefined : [namespace],
    gateway: gatewayOf(options, access),
    log: (message, error) => log.error({ error: error instanceof Error ? error.name : String(error) }, message),
  });
  try {
    return await serveDashboard(dashboard, { host: "::", port });
  } catch (error) {
    dashboard.close();
    const { code } = error as NodeJS.ErrnoException;
    throw new Refusal(`cannot listen on port ${port} (${code}); choose another port with --dashboard-port`);
  }
}

/** Where the cluster is, without who the operator is. */
export function connectAs(token: string, access: ClusterAccess, namespace: string | undefined): Connection {
  const { server, ca, serverName, skipTlsVerify } = access;
  const userAgent = `trivium-dashboard/${version}`;
  const transport = httpTransport({ server, ca, serverName, skipTlsVerify, token, userAgent });
  return { transport, server, namespace: namespace ?? "default", close: () => transport.close() };
}

/** Metrics are read with the operator's own token, for users who can read metrics themselves. */
function gatewayOf({ dashboard, metricsAccess }: OperatorOptions, access: ClusterAccess): GatewayPort | undefined {
  const { gateway: url, gatewayMetrics } = dashboard;
  if (url === undefined) return undefined;
  const { tokenFile } = access;
  const isGuarded = metricsAccess === "authorized";
  // A gateway that asks for no token gets none.
  const token =
    tokenFile === undefined || !isGuarded ? {} : { token: async () => (await readFile(tokenFile, "utf8")).trim() };
  return {
    url,
    metrics: gatewayMetrics === undefined ? undefined : fetchMetrics({ url: gatewayMetrics, isGuarded, ...token }),
  };
}
