import type { Kind, KubeClient, KubeObject } from "@trivium/kube";

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

/** The same for several. The API narrows to one namespace or to none, so the rest is left out here. */
export function withinNamespaces(client: KubeClient, namespaces: readonly string[]): KubeClient {
  const [only = "", ...others] = namespaces;
  if (others.length === 0) return withinNamespace(client, only);
  const isInside = ({ metadata }: KubeObject): boolean =>
    metadata.namespace === undefined || namespaces.includes(metadata.namespace);
  return {
    ...client,
    async list(kind, options) {
      const list = await client.list(kind, options);
      return { ...list, items: list.items.filter(isInside) };
    },
    async *watch(kind, options) {
      for await (const event of client.watch(kind, options))
        if (event.type === "BOOKMARK" || isInside(event.object)) yield event;
    },
  };
}
