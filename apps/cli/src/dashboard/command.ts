import { type ClusterAccess, httpTransport } from "@trivium/client";
import {
  createDashboard,
  type DashboardServer,
  fetchMetrics,
  findAssets,
  type GatewayPort,
  serveDashboard,
  startAddress,
} from "@trivium/dashboard-server";
import { findRunning, optionsBehind, verifyStores } from "@trivium/local";
import { Refusal } from "@trivium/std";
import { accessOf, homeBehind, homesOf } from "../access.ts";
import type { EndpointOptions } from "../chat/endpoint.ts";
import { untilInterrupted } from "../interrupt.ts";
import { version } from "../version.ts";
import { inspectForDashboard } from "./inspect.ts";
import { openBrowser } from "./open-browser.ts";

export interface DashboardCommandOptions extends EndpointOptions {
  readonly port?: number;
  readonly readOnly?: boolean;
  readonly open?: boolean;
}

const host = "127.0.0.1";
const usualPort = 8120;

/** Serves the dashboard as the user of a kubeconfig, for this user's browser, until Ctrl-C. */
export async function serveForKubeconfig(options: DashboardCommandOptions): Promise<void> {
  const access = await accessOf(options);
  const transport = httpTransport(access);
  const { namespace = access.namespace, readOnly = false } = options;
  let port = 0;
  const printed: string[] = [];
  // Each log-in uses its token up; the next one is printed for the next browser.
  const publish = (token: string): void => {
    printed.push(token);
    if (port !== 0) console.log(`dashboard       ${startAddress(port, token)}`);
  };
  const dashboard = createDashboard({
    assets: findAssets(),
    login: { is: "start-token", connection: { transport, server: access.server, namespace }, publish },
    isReadOnly: readOnly,
    allowedHosts: [],
    version,
    dialectOptions: optionsBehind(access.server, homesOf(options)),
    gateway: findGateway(access, options),
    inspect: inspectForDashboard,
    verify: verifyBehind(access.server, options),
    log: (message) => console.error(`warning: ${message}`),
  });
  const interrupted = untilInterrupted();
  const server = await listen(dashboard, options.port);
  port = server.port;
  const address = startAddress(port, printed[0] ?? "");
  console.log(`cluster         ${access.server} (context ${access.context}${readOnly ? ", read-only" : ""})`);
  console.log(`dashboard       ${address}`);
  if (options.open === true) await openBrowser(address);
  if (!interrupted.aborted)
    await new Promise((resolve) => interrupted.addEventListener("abort", resolve, { once: true }));
  await server.close();
  await transport.close();
}

/** The gateway that is named, or that of a control plane of this machine; another cluster's has to be named. */
function findGateway(access: ClusterAccess, options: DashboardCommandOptions): GatewayPort | undefined {
  const { gateway = process.env.TRIVIUM_GATEWAY } = options;
  const key = process.env.TRIVIUM_API_KEY || undefined;
  if (gateway) return { url: gateway.replace(/(\/v1)?\/*$/, ""), key };
  const home = homeBehind(access.server, options);
  const record = home === undefined ? undefined : findRunning(home);
  if (record === undefined) return undefined;
  const metrics = fetchMetrics({ url: `http://${host}:${record.ports.metrics}/metrics`, isGuarded: false });
  return { url: `http://${host}:${record.ports.gateway}`, key, metrics };
}

/** Only where the weights of the cluster are on this machine. */
function verifyBehind(server: string, options: DashboardCommandOptions) {
  const home = homeBehind(server, options);
  return home === undefined ? undefined : () => verifyStores(home);
}

async function listen(
  dashboard: ReturnType<typeof createDashboard>,
  chosen: number | undefined,
): Promise<DashboardServer> {
  try {
    return await serveDashboard(dashboard, { host, port: chosen ?? usualPort });
  } catch (error) {
    if (chosen === undefined) return serveDashboard(dashboard, { host, port: 0 });
    const { code } = error as NodeJS.ErrnoException;
    throw new Refusal(`cannot listen on port ${chosen} (${code}); choose another with --port, or 0 for any free port`);
  }
}
