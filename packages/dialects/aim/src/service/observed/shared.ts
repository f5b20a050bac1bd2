import { apiVersionOf, type Kind, type KubeObject, type OwnerReference } from "@trivium/kube";
import type { Patch } from "@trivium/reconcile";
import { bareKind } from "../../bare-kind.ts";
import { AIMKVCache } from "../../kinds/kv-cache.ts";
import { AIMModel } from "../../kinds/model.ts";
import { AIMServiceTemplate } from "../../kinds/service-template.ts";
import { labels } from "../../labels.ts";
import type { Service } from "../names/names.ts";
import { ownersOf } from "./observe-models.ts";
import type { ObservedService } from "./observed-service.ts";
import type { ServiceReader } from "./reads.ts";

/** Kinds of which services share what was made for them; each that uses one is among its owners. */
const sharedKinds = { AIMModel, AIMServiceTemplate, AIMKVCache } as const;

/** Something that was made for services and hangs on this one, too. */
export interface ObservedShared {
  readonly kind: keyof typeof sharedKinds;
  readonly name: string;
  readonly uid: string;
  readonly owners: readonly OwnerReference[];
}

export function observeShared(service: Service, reader: ServiceReader): Pick<ObservedService, "shared"> {
  const { namespace, uid } = service.metadata;
  if (uid === undefined) return {};
  const where = { namespace, owner: uid };
  const shared = [
    ...reader.list(AIMModel, where).map((one) => observedShared("AIMModel", one)),
    ...reader.list(AIMServiceTemplate, where).map((one) => observedShared("AIMServiceTemplate", one)),
    ...reader.list(AIMKVCache, where).map((one) => observedShared("AIMKVCache", one)),
  ].flatMap((one) => one ?? []);
  return shared.length === 0 ? {} : { shared };
}

/** What somebody else made and gave this owner is theirs. */
function observedShared(kind: ObservedShared["kind"], object: KubeObject): ObservedShared | undefined {
  const { name = "", uid = "", labels: own = {}, deletionTimestamp } = object.metadata;
  const isMade = own[labels.autoCreated] === "true" || own[labels.derivedTemplate] === "true";
  return isMade && deletionTimestamp === undefined ? { kind, name, uid, owners: ownersOf(object) } : undefined;
}

/** Names of what is used now; nothing where that is not known. */
export type InUse = Readonly<Record<ObservedShared["kind"], string | undefined>>;

/** The service leaves the owners of what it uses no more; with the last owner it goes. */
export function letGo({ kind: service, metadata }: Service, shared: readonly ObservedShared[], inUse: InUse): Patch[] {
  const { namespace } = metadata;
  const unused = shared.filter(({ kind, name }) => inUse[kind] !== undefined && inUse[kind] !== name);
  return unused.map(({ kind: of, name, uid, owners }): Patch => {
    const kind = bareKind(sharedKinds[of] as Kind);
    const others = owners.filter((owner) => owner.uid !== metadata.uid);
    if (others.length === 0) return { patch: "delete", kind, ref: { namespace, name }, uid };
    // One hand writes for all services: what it names no more goes.
    const ownerReferences = others.filter((owner) => owner.kind === service);
    const placed = namespace === undefined ? {} : { namespace };
    const object = { apiVersion: apiVersionOf(kind), kind: of, metadata: { name, ...placed, ownerReferences } };
    return { patch: "fields", kind, object };
  });
}
