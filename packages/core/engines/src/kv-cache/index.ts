export { lmCacheConnector, planLmCacheFile } from "./lmcache.ts";
export { type CachedContainer, passPromptCache } from "./pass-prompt-cache.ts";
export { type PromptCacheEngine, type PromptCachePlan, planPromptCache } from "./prompt-cache.ts";
export { describeMissingCache, type ObservedSharedCache, observeSharedCache } from "./shared-cache.ts";
