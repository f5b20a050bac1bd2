import type { KubeClient } from "@trivium/kube";

/** The same client, whose writes are refused for a field that does not exist instead of being cut. */
export function strictClient(client: KubeClient): KubeClient {
  const strict = { fieldValidation: "Strict" } as const;
  return {
    ...client,
    create: (kind, object, options) => client.create(kind, object, { ...options, ...strict }),
    replace: (kind, object, options) => client.replace(kind, object, { ...options, ...strict }),
    patch: (kind, ref, patch, options) => client.patch(kind, ref, patch, { ...options, ...strict }),
    apply: (kind, object, options) => client.apply(kind, object, { ...options, ...strict }),
  };
}
