import type { Kind, KubeClient } from "@trivium/kube";

/** The same client, for which other namespaces do not exist when it lists or watches. Cluster-wide kinds are seen as before. */
export function scopedClient(client: KubeClient, namespace: string | undefined): KubeClient {
  if (namespace === undefined) return client;
  const scoped = <T extends { readonly namespace?: string | undefined }>(kind: Kind, options: T): T =>
    kind.namespaced ? { ...options, namespace: options.namespace ?? namespace } : options;
  return {
    ...client,
    list: (kind, options = {}) => client.list(kind, scoped(kind, options)),
    watch: (kind, options = {}) => client.watch(kind, scoped(kind, options)),
  };
}
