import { apiVersionOf, type Kind } from "@trivium/kube";
import type { Patch } from "@trivium/reconcile";
import { bareKind } from "../../bare-kind.ts";
import type { Service } from "../names/names.ts";
import { type ObservedShared, sharedKinds } from "../observed/shared.ts";

/** Names of what is used now; nothing where that is not known. */
export type InUse = Readonly<Record<ObservedShared["kind"], string | undefined>>;

/** The service leaves the owners of what it no longer uses; with its last owner an object is deleted. */
export function letGo({ kind: service, metadata }: Service, shared: readonly ObservedShared[], inUse: InUse): Patch[] {
  const { namespace } = metadata;
  const unused = shared.filter(({ kind, name }) => inUse[kind] !== undefined && inUse[kind] !== name);
  return unused.map(({ kind: of, name, uid, owners }): Patch => {
    const kind = bareKind(sharedKinds[of] as Kind);
    const others = owners.filter((owner) => owner.uid !== metadata.uid);
    if (others.length === 0) return { patch: "delete", kind, ref: { namespace, name }, uid };
    // One field manager writes for all services: an owner that is left out is removed.
    const ownerReferences = others.filter((owner) => owner.kind === service);
    const placed = namespace === undefined ? {} : { namespace };
    const object = { apiVersion: apiVersionOf(kind), kind: of, metadata: { name, ...placed, ownerReferences } };
    return { patch: "fields", kind, object };
  });
}
