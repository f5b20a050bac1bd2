export { createClient } from "./client.ts";
export type { Credentials, Login } from "./credentials.ts";
export { type HttpAccess, type HttpOptions, type HttpTransport, httpTransport } from "./http-transport.ts";
export { findAccess, inClusterAccess } from "./in-cluster.ts";
export { type ClusterAccess, type KubeconfigSource, loadKubeconfig } from "./kubeconfig.ts";
export { type RateLimit, withRateLimit } from "./rate-limit.ts";
export { type RetryOptions, withRetries } from "./retries.ts";
