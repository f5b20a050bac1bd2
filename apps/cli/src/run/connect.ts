import { createClient, type HttpTransport, httpTransport, loadKubeconfig } from "@trivium/client";
import type { KubeClient } from "@trivium/kube";
import type { RunRecord } from "@trivium/local";

/** A client for the control plane of a record; the caller closes the transport. */
export async function connect({ kubeconfig }: Pick<RunRecord, "kubeconfig">): Promise<{
  readonly transport: HttpTransport;
  readonly client: KubeClient;
}> {
  const transport = httpTransport(await loadKubeconfig(kubeconfig));
  return { transport, client: createClient(transport) };
}
