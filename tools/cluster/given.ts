import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { loadOrCreateIdentity } from "@trivium/apiserver";
import { createClient, httpTransport, loadKubeconfig } from "@trivium/client";
import { ConfigMap } from "@trivium/kube";
import type { Cluster } from "./cluster.ts";
import { binaries } from "./places.ts";

/** Set beside `KUBECONFIG_UNDER_TEST` where it names an API server without controllers, which our own tools have started. */
export const withoutControllers: Readonly<Record<string, string>> = { CLUSTER_UNDER_TEST: "bare" };

/** The cluster that somebody wants to be used instead of one of ours, as `KUBECONFIG_UNDER_TEST` names it. */
export function givenKubeconfig(wanted: "any" | "with controllers"): string | undefined {
  const { KUBECONFIG_UNDER_TEST: given, CLUSTER_UNDER_TEST: form } = process.env;
  return wanted === "with controllers" && form === withoutControllers.CLUSTER_UNDER_TEST
    ? undefined
    : given || undefined;
}

/**
 * A cluster that was given, in the form of one of ours. Its API server finds logs at stand-ins for kubelets if it does not insist on
 * an authority for them; where our own tools have started it, theirs is used.
 */
export async function openGiven(kubeconfig: string, folder: string): Promise<Cluster> {
  const access = await loadKubeconfig(kubeconfig);
  const own = join(dirname(kubeconfig), "kubelet");
  const isOurs = existsSync(own);
  const identity = await loadOrCreateIdentity(isOurs ? own : join(folder, "kubelet"));
  const clientAuthority = isOurs ? identity.authority : await authorityOfClients(kubeconfig);
  const built = join(binaries, "kubectl");
  return {
    kubeconfig,
    url: access.server,
    kubectl: existsSync(built) ? built : "kubectl",
    kubelet: { certificate: identity.server, clientAuthority },
  };
}

/** What its API server says of itself. */
export async function versionOf(kubeconfig: string): Promise<string> {
  const transport = httpTransport(await loadKubeconfig(kubeconfig));
  try {
    const { status, body } = await transport({ method: "GET", path: "/version", headers: {} });
    if (status !== 200) throw new Error(`it answered ${status}`);
    return `Kubernetes ${(JSON.parse(String(body)) as { gitVersion: string }).gitVersion}`;
  } finally {
    await transport.close();
  }
}

/** Every API server publishes whose certificates it takes from clients; it shows kubelets one of the same authority. */
async function authorityOfClients(kubeconfig: string): Promise<string> {
  const transport = httpTransport(await loadKubeconfig(kubeconfig));
  try {
    const place = { namespace: "kube-system", name: "extension-apiserver-authentication" };
    const { data } = await createClient(transport).get(ConfigMap, place);
    return data?.["client-ca-file"] ?? "";
  } finally {
    await transport.close();
  }
}
