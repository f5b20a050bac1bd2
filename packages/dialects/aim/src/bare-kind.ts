import type { Kind } from "@trivium/kube";

/** A kind without its schema: what a decision says of it should be readable. */
export const bareKind = ({ group, version, kind, plural, namespaced }: Kind): Kind => ({
  group,
  version,
  kind,
  plural,
  namespaced,
});
