export type { Connection, GatewayPort, KeptSession, KeptSessions } from "./connection.ts";
export { createDashboard } from "./dashboard.ts";
export { fetchMetrics } from "./fetch-metrics.ts";
export { findAssets } from "./find-assets.ts";
export { type DashboardServer, serveDashboard } from "./serve.ts";
export { startAddress } from "./start-address.ts";
