import type { Kind, KubeClient } from "@trivium/kube";
import type { OwnNamespace } from "./own-namespace.ts";

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

/** What is kept in namespaces that an operator of one namespace does not read, as sentences. */
export const describeUnread = (namespace: string | undefined, homes: readonly OwnNamespace[]): string[] =>
  homes
    .filter(({ name }) => namespace !== undefined && name !== namespace)
    .map(({ name, holds, option }) => {
      const remedy = `start the operator with ${option} ${namespace}`;
      return `${holds} are in namespace ${name}, and only namespace ${namespace} is read, so they have no effect; ${remedy}`;
    });
