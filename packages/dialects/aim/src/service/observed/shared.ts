import type { KubeObject, OwnerReference } from "@trivium/kube";
import { AIMKVCache } from "../../kinds/kv-cache.ts";
import { AIMModel } from "../../kinds/model.ts";
import { AIMServiceTemplate } from "../../kinds/service-template.ts";
import { labels } from "../../labels.ts";
import type { Service } from "../names/names.ts";
import { ownersOf } from "./observe-models.ts";
import type { ObservedService } from "./observed-service.ts";
import type { ServiceReader } from "./reads.ts";

/** Kinds of which services share what was made for them; each that uses one is among its owners. */
export const sharedKinds = { AIMModel, AIMServiceTemplate, AIMKVCache } as const;

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
