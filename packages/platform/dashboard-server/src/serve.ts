import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Dashboard } from "./dashboard.ts";

export interface DashboardServer {
  readonly host: string;
  readonly port: number;
  close(): Promise<void>;
}

/** Enough for the tabs of many users; connections beyond it wait. */
const maxConnections = 2_000;

/** Listens, with limits for clients that send slowly. Rejects with the error of the system where the port cannot be had. */
export async function serveDashboard(
  dashboard: Dashboard,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<DashboardServer> {
  const server = createServer({ headersTimeout: 15_000, requestTimeout: 120_000 }, dashboard.handle);
  server.maxConnections = maxConnections;
  await listen(server, host, port);
  return { host, port: (server.address() as AddressInfo).port, close: () => close(server, dashboard) };
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host, port }, () => {
      server.off("error", reject);
      resolve();
    });
  });
}

function close(server: Server, dashboard: Dashboard): Promise<void> {
  dashboard.close();
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
