export { createClient } from "./client.ts";
export { type HttpAccess, type HttpTransport, httpTransport } from "./http-transport.ts";
export { findAccess } from "./in-cluster.ts";
export { type ClusterAccess, loadKubeconfig } from "./kubeconfig.ts";
