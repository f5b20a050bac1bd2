import type { KubeClient, Ref } from "@trivium/kube";

/** The same client that lists and watches one object only: rights to one Secret need not be rights to all. */
export function scopedTo(client: KubeClient, { namespace, name }: Ref): KubeClient {
  const scope = { namespace, fieldSelector: `metadata.name=${name}` };
  return {
    ...client,
    list: (kind, options = {}) => client.list(kind, { ...options, ...scope }),
    watch: (kind, options = {}) => client.watch(kind, { ...options, ...scope }),
  };
}
