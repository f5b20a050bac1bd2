import { apiVersionOf, type Kind, type OwnerReference } from "@trivium/kube";
import type { Patch } from "@trivium/reconcile";
import { bareKind } from "../../bare-kind.ts";
import type { Service } from "../names/names.ts";

/**
 * Puts a service among the owners of something that several share: it goes with the last of them. The others are named too, since one
 * hand writes for all services.
 */
export function ownerPatch(
  { apiVersion, kind, metadata }: Service,
  of: Kind,
  { name, owners }: { readonly name: string; readonly owners: readonly OwnerReference[] },
): Patch[] {
  const { uid, namespace } = metadata;
  if (uid === undefined || owners.some((owner) => owner.uid === uid)) return [];
  const others = owners.filter((owner) => owner.kind === kind);
  const ownerReferences = [...others, { apiVersion, kind, name: metadata.name ?? "", uid }];
  const object = {
    apiVersion: apiVersionOf(of),
    kind: of.kind,
    metadata: { name, ...(namespace === undefined ? {} : { namespace }), ownerReferences },
  };
  return [{ patch: "fields", kind: bareKind(of), object }];
}
