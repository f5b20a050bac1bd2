import type { ServicePlan, StatefulPlan } from "@trivium/domain";
import { judgeKVCache, type KVCacheOutcome } from "./health/judge.ts";
import type { KVCache } from "./names/names.ts";
import type { ObservedKVCache } from "./observe.ts";
import { planAddress, planRedis } from "./roles/redis.ts";

/** What a KV cache consists of, and how far it is. */
export interface LoweredKVCache {
  readonly server: StatefulPlan;
  readonly address: ServicePlan;
  readonly outcome: KVCacheOutcome;
}

export const lowerKVCache = (cache: KVCache, observed: ObservedKVCache): LoweredKVCache => ({
  server: planRedis(cache, observed.set.is === "known" ? observed.set.value.storage : undefined),
  address: planAddress(cache),
  outcome: judgeKVCache(cache, observed),
});
