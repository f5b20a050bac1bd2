import {
  type Connection,
  createDashboard,
  type DashboardServer,
  fetchMetrics,
  findAssets,
  serveDashboard,
} from "@trivium/dashboard-server";
import { Refusal } from "@trivium/std";
import manifest from "../../package.json" with { type: "json" };
import type { DialectOptions } from "../dialect-options.ts";
import type { Home } from "../home.ts";
import type { Log } from "../log.ts";
import { defaultDashboardPort, type UpOptions } from "../options.ts";
import type { PortRequest } from "../ports.ts";
import { verifyStores } from "../weight-stores.ts";
import { keptSessions } from "./kept-sessions.ts";
import { keepStartToken } from "./start-token.ts";

/** What the dashboard of one machine shows. */
export interface LocalDashboard {
  readonly options: Pick<UpOptions, "dashboard" | "inspect">;
  /** The first of them that is free is taken. */
  readonly ports: readonly [number, ...number[]];
  readonly home: Home;
  readonly connection: Connection;
  readonly dialectOptions: DialectOptions;
  readonly gateway: { readonly url: string; readonly metrics: string; readonly key: string | undefined };
  readonly log: Log;
}

/** Only this machine reaches it, also where the gateway is open to the network: it acts as the administrator. */
const host = "127.0.0.1";

/** Which port is asked for; a default that another program has gives way to any free port. */
export const dashboardRequestOf = ({
  dashboardPort,
  gatewayPort,
}: Pick<UpOptions, "dashboardPort" | "gatewayPort">): PortRequest => ({
  of: "dashboard",
  port: dashboardPort ?? defaultDashboardPort(gatewayPort),
  isAnyAllowed: dashboardPort === undefined,
});

export async function startDashboard(local: LocalDashboard): Promise<DashboardServer | undefined> {
  const { options, home, connection, log } = local;
  if (!options.dashboard) return undefined;
  const { url, metrics, key } = local.gateway;
  const dashboard = createDashboard({
    assets: findAssets(),
    login: {
      is: "start-token",
      connection,
      kept: keptSessions(home.path),
      publish: (token) => keepStartToken(home.path, token),
    },
    isReadOnly: false,
    allowedHosts: [],
    version: manifest.version,
    dialectOptions: local.dialectOptions,
    gateway: { url, key, metrics: fetchMetrics({ url: metrics, isGuarded: false }) },
    inspect: options.inspect,
    verify: () => verifyStores(home.path),
    log: log.fault,
  });
  try {
    return await serveAtFirstFree(dashboard, local.ports);
  } catch (error) {
    dashboard.close();
    throw error;
  }
}

async function serveAtFirstFree(
  dashboard: ReturnType<typeof createDashboard>,
  [port, ...others]: LocalDashboard["ports"],
): Promise<DashboardServer> {
  try {
    return await serveDashboard(dashboard, { host, port });
  } catch (error) {
    const [next, ...rest] = others;
    if (next !== undefined) return serveAtFirstFree(dashboard, [next, ...rest]);
    const { code } = error as NodeJS.ErrnoException;
    const advice = "choose another port with --dashboard-port, or 0 for any free port";
    throw new Refusal(`cannot listen on port ${port} of ${host} (${code}); ${advice}`);
  }
}
