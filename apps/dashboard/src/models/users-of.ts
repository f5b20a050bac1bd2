import type { AnyObject } from "@trivium/kube";
import { reader } from "../kube/dialects.ts";

interface Known {
  readonly services: readonly { readonly object: AnyObject }[];
  readonly all: readonly { readonly object: AnyObject }[];
}

/** The services that name an object, or one that owns it. */
export function usersOf(object: AnyObject, known: Known): { readonly namespace: string; readonly name: string }[] {
  const line = [object, ...ownersOf(object, known.all)];
  return known.services
    .filter(({ object: service }) => service.apiVersion === object.apiVersion)
    .filter(({ object: service }) => line.some((one) => isNamedBy(service, one) || one === service))
    .map(({ object: { metadata } }) => ({ namespace: metadata.namespace ?? "", name: metadata.name ?? "" }));
}

function ownersOf({ metadata }: AnyObject, all: Known["all"]): AnyObject[] {
  const uids = (metadata.ownerReferences ?? []).map(({ uid }) => uid);
  if (uids.length === 0) return [];
  const owners = all.map((one) => one.object).filter(({ metadata: { uid = "" } }) => uids.includes(uid));
  return owners.flatMap((owner) => [owner, ...ownersOf(owner, all)]);
}

type Uses = ReturnType<ReturnType<typeof reader.guideOf>["uses"]>;
/** Every object is compared with every service: what one names is found once. */
const named = new WeakMap<AnyObject, Uses>();

function isNamedBy(service: AnyObject, { kind, metadata: { name, namespace } }: AnyObject): boolean {
  const uses = named.get(service) ?? reader.guideOf(service).uses(service);
  named.set(service, uses);
  return uses.some(
    (one) =>
      one.name === name &&
      one.kinds.includes(kind) &&
      (namespace === undefined || (one.namespace ?? service.metadata.namespace) === namespace),
  );
}
