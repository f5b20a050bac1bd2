export { callApi } from "./call-api.ts";
export { createClient } from "./client.ts";
export { countEvent } from "./count-event.ts";
export { type HttpAccess, type HttpTransport, httpTransport } from "./http-transport.ts";
export { findAccess, NoClusterConfigured } from "./in-cluster.ts";
export { type ClusterAccess, loadKubeconfig } from "./kubeconfig.ts";
export { createMetricsAccess, type MetricsAccess, metricsAccessRules } from "./metrics-access.ts";
export { textOf } from "./text.ts";
export { readWatch } from "./watch.ts";
