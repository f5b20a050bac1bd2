import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type ClusterAccess, kubeconfigPaths, loadKubeconfig } from "./kubeconfig.ts";

type Env = Readonly<Record<string, string | undefined>>;

const serviceAccountFolder = "/var/run/secrets/kubernetes.io/serviceaccount";

/** How a pod reaches the API of the cluster it runs in: with its service account, whose token is rotated on disk. */
export async function inClusterAccess(env: Env = process.env, folder = serviceAccountFolder): Promise<ClusterAccess> {
  const host = env.KUBERNETES_SERVICE_HOST;
  const port = env.KUBERNETES_SERVICE_PORT;
  if (!host || !port)
    throw new Error("not running in a pod: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set");
  const namespace = await readFile(join(folder, "namespace"), "utf8").catch(() => "default");
  return {
    server: `https://${host.includes(":") ? `[${host}]` : host}:${port}`,
    ca: await readFile(join(folder, "ca.crt"), "utf8"),
    tokenFile: join(folder, "token"),
    namespace: namespace.trim(),
    context: "in-cluster",
  };
}

/** Neither a kubeconfig nor a pod: there is no cluster to call. */
export class NoClusterConfigured extends Error {
  constructor(paths: readonly string[]) {
    super(`no cluster is configured: ${paths.join(", ")} does not exist and this is not a pod; set KUBECONFIG`);
    this.name = "NoClusterConfigured";
  }
}

/** What `kubectl` would use: a kubeconfig where there is one, else the cluster around this pod. */
export async function findAccess(env: Env = process.env): Promise<ClusterAccess> {
  const paths = kubeconfigPaths(env);
  if (env.KUBECONFIG || paths.some((path) => existsSync(path))) return loadKubeconfig({ env });
  if (env.KUBERNETES_SERVICE_HOST) return inClusterAccess(env);
  throw new NoClusterConfigured(paths);
}
