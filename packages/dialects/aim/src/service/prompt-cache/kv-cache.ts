import type { ConfigPlan } from "@trivium/domain";
import { lmCacheConnector, planLmCacheFile } from "@trivium/engines";
import type { api } from "@trivium/kube";
import type { Desired, Patch } from "@trivium/reconcile";
import { sha256Hex } from "@trivium/std";
import { group } from "../../group.ts";
import { AIMKVCache } from "../../kinds/kv-cache.ts";
import type { EnvVars } from "../../kinds/pod-fields.ts";
import { passwordOf, port } from "../../kv-cache/names/names.ts";
import { labels } from "../../labels.ts";
import { labelValueOf } from "../../names.ts";
import { lmCacheConfigOf, type Service } from "../names/names.ts";
import type { ObservedKVCache, ObservedService } from "../observed/observed-service.ts";
import { engineArguments } from "../pod/engine-arguments.ts";
import { ownerPatch } from "../selection/owner-patch.ts";

export const kvCacheNameOf = ({ spec, metadata }: Service): string =>
  spec.kvCache?.name || `kvcache-${metadata.namespace}`;

/** The cache of computed prompts that a service shares with others. */
export type KVPlan =
  | { readonly is: "off" }
  | {
      readonly is: "ready";
      readonly cache: ObservedKVCache;
      /** What the servers read of it. */
      readonly config: ConfigPlan;
      readonly patches: readonly Patch[];
      readonly env: EnvVars;
      readonly volume: api.Volume;
      readonly mount: api.VolumeMount;
      /** Pods that read another configuration start anew. */
      readonly digest: string;
    }
  | {
      readonly is: "waiting" | "failed";
      readonly cache?: ObservedKVCache;
      readonly reason: "WaitingForKVCache" | "KVCacheProgressing" | "KVCacheFailed";
      readonly message: string;
      readonly children: readonly Desired[];
      readonly patches: readonly Patch[];
    };

export function planKVCache(service: Service, { kvCache }: ObservedService): KVPlan {
  if (service.spec.kvCache === undefined || kvCache === undefined) return { is: "off" };
  const name = kvCacheNameOf(service);
  if (kvCache.is !== "known") {
    const message = `Creating AIMKVCache ${name} for this service`;
    return { is: "waiting", reason: "WaitingForKVCache", message, children: [newCache(service, name)], patches: [] };
  }
  const cache = kvCache.value;
  const patches = cache.isMadeForServices ? ownerPatch(service, AIMKVCache, { name, owners: cache.owners }) : [];
  const state = cache.status?.status ?? "Pending";
  if (state === "Ready") return readyPlan(service, cache, patches);
  if (state === "Failed") {
    const message = `AIMKVCache ${name} failed: ${cache.status?.lastError ?? "check its status"}`;
    return { is: "failed", cache, reason: "KVCacheFailed", message, children: [], patches };
  }
  const reason = state === "Progressing" ? "KVCacheProgressing" : "WaitingForKVCache";
  return { is: "waiting", cache, reason, message: `Waiting for AIMKVCache ${name} (${state})`, children: [], patches };
}

function newCache({ spec }: Service, name: string): Desired {
  const { name: _, type, lmCacheConfig: __, ...settings } = spec.kvCache ?? {};
  const object = {
    apiVersion: `${group.group}/${group.version}`,
    kind: AIMKVCache.kind,
    metadata: { name, labels: { [labels.autoCreated]: "true" } },
    spec: { kvCacheType: type ?? "redis", ...settings },
  };
  const made = { type: "Normal", reason: "KVCacheCreation", message: `Created AIMKVCache ${name}` } as const;
  return { kind: AIMKVCache, object, outlivesOwner: true, createOnly: true, events: { made } };
}

const [folder, file] = ["/lmcache", "lmcache_config.yaml"];

function readyPlan(service: Service, cache: ObservedKVCache, patches: readonly Patch[]): KVPlan {
  const name = lmCacheConfigOf(service);
  const { text, env } = planLmCacheFile({
    cache: { service: cache.status?.serviceName ?? "", namespace: service.metadata.namespace ?? "", port },
    path: `${folder}/${file}`,
    template: service.spec.kvCache?.lmCacheConfig,
    password: passwordOf(cache),
  });
  const config: ConfigPlan = {
    name,
    labels: { [labels.serviceName]: labelValueOf(service.metadata.name ?? "") },
    data: { [file]: text },
  };
  return {
    is: "ready",
    cache,
    patches,
    config,
    env: [...env, ...engineArguments([lmCacheConnector])],
    volume: { name: "lmcache-config-volume", configMap: { name, items: [{ key: file, path: file }] } },
    mount: { name: "lmcache-config-volume", mountPath: folder, readOnly: true },
    digest: sha256Hex(text).slice(0, 16),
  };
}
