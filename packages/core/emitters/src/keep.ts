import { apiVersionOf, type Kind, type Ref } from "@trivium/kube";
import type { Desired } from "@trivium/reconcile";

/** A child that stays unchanged if it exists: it is neither created nor changed, and not deleted. */
export const keepObject = (kind: Kind, { name, namespace }: Ref): Desired => ({
  kind,
  object: {
    apiVersion: apiVersionOf(kind),
    kind: kind.kind,
    metadata: { name, ...(namespace === undefined ? {} : { namespace }) },
  },
  keep: true,
});
