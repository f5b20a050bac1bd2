import type { ObservedPod } from "@trivium/domain";
import { observePod, podReads } from "@trivium/engines";
import { type Kind, Pod, Secret, Service, StatefulSet } from "@trivium/kube";
import type { Reader } from "@trivium/reconcile";
import { type Fact, known } from "@trivium/std";
import { addressNameOf, type KVCache, labelsOf, passwordOf, setNameOf } from "./names/names.ts";
import type { ObservedStorage } from "./roles/redis.ts";

export interface ObservedKVCache {
  readonly set: Fact<ObservedSet>;
  readonly address: Fact<true>;
  /** Whether the password is where the spec says; never what it is. */
  readonly password?: Fact<{ readonly hasKey: boolean }>;
  readonly pods: readonly ObservedPod[];
}

interface ObservedSet {
  readonly replicas: number;
  readonly ready: number;
  readonly storage?: ObservedStorage;
}

export const kvCacheReads = [StatefulSet, Service, Pod, Secret, ...podReads] as const satisfies readonly Kind[];
type KVCacheReader = Reader<(typeof kvCacheReads)[number]>;

export function observeKVCache(cache: KVCache, reader: KVCacheReader): ObservedKVCache {
  const { namespace } = cache.metadata;
  const set = reader.get(StatefulSet, { namespace, name: setNameOf(cache) });
  const address = reader.get(Service, { namespace, name: addressNameOf(cache) });
  const pods = reader.list(Pod, { namespace, labels: labelsOf(cache) });
  return {
    set: set.is === "known" ? known(observedSet(set.value)) : set,
    address: address.is === "known" ? known(true) : address,
    ...observePassword(cache, reader),
    pods: pods.map((pod) => observePod(pod, "", reader)).sort((a, b) => (a.name < b.name ? -1 : 1)),
  };
}

function observedSet({ spec, status }: StatefulSet): ObservedSet {
  const claim = spec?.volumeClaimTemplates?.[0]?.spec;
  const size = claim?.resources?.requests?.storage;
  const { storageClassName: storageClass, accessModes = [] } = claim ?? {};
  return {
    replicas: status?.replicas ?? 0,
    ready: status?.readyReplicas ?? 0,
    ...(size === undefined
      ? {}
      : {
          storage: {
            size: String(size),
            ...(storageClass === undefined ? {} : { storageClass }),
            accessModes: [...accessModes],
          },
        }),
  };
}

function observePassword(cache: KVCache, reader: KVCacheReader): Pick<ObservedKVCache, "password"> {
  const place = passwordOf(cache);
  if (place === undefined) return {};
  const secret = reader.get(Secret, { namespace: cache.metadata.namespace, name: place.name });
  if (secret.is !== "known") return { password: secret };
  return { password: known({ hasKey: Object.hasOwn(secret.value.data ?? {}, place.key) }) };
}
