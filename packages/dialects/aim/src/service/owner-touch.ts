import type { Kind } from "@trivium/kube";
import type { Touch } from "@trivium/reconcile";
import type { Service } from "./names.ts";

/** Puts a service among the owners of something that several share: it goes with the last of them. */
export function ownerTouch(
  { apiVersion, kind, metadata }: Service,
  of: Kind,
  { name, owners }: { readonly name: string; readonly owners: readonly string[] },
): Touch[] {
  const { uid, namespace } = metadata;
  if (uid === undefined || owners.includes(uid)) return [];
  const add = [{ apiVersion, kind, name: metadata.name ?? "", uid }];
  return [{ touch: "owners", kind: of, ref: { namespace, name }, add }];
}
