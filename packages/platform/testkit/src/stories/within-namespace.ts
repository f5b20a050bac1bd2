import type { Kind, KubeClient } from "@trivium/kube";

/** The same client, which sees of namespaced kinds only what is in one namespace: for whoever shares a cluster with others. */
export function withinNamespace(client: KubeClient, namespace: string): KubeClient {
  const narrowed = <O extends { namespace?: string | undefined }>(kind: Kind, options: O | undefined): O =>
    ({ ...(kind.namespaced ? { namespace } : {}), ...options }) as O;
  return {
    ...client,
    list: (kind, options) => client.list(kind, narrowed(kind, options)),
    watch: (kind, options) => client.watch(kind, narrowed(kind, options)),
  };
}
