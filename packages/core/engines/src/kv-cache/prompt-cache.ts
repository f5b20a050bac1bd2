import type { api } from "@trivium/kube";
import type { EngineArgument } from "../serving/engine-argument.ts";
import { lmCacheConnector, lmCacheEnv } from "./lmcache.ts";

/** Where a server keeps prompts that it has computed, to use them for later requests. */
export type PromptCache =
  /** Nowhere: every prompt is computed. */
  | { readonly is: "none" }
  /** In the memory of each replica. */
  | { readonly is: "local" }
  /** In a Redis that replicas share: the name and port of its Service in the namespace. */
  | { readonly is: "shared"; readonly service: string; readonly port: number };

export type PromptCacheEngine = "vllm" | "sglang" | "llama.cpp";

export type PromptCachePlan =
  | { readonly is: "planned"; readonly args: readonly EngineArgument[]; readonly env: readonly api.EnvVar[] }
  | { readonly is: "unsupported"; readonly why: string };

export const expectedPromptCache = "none, local, or the name of a Redis Service such as prompts or prompts:6379";

const serviceName = /^[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
const redisPort = 6379;

export function parsePromptCache(text: string): PromptCache | undefined {
  if (text === "none" || text === "local") return { is: text };
  const [service = "", written, ...rest] = text.split(":");
  const port = written === undefined ? redisPort : Number(written);
  const isPort = written === undefined || (/^[1-9]\d{0,4}$/.test(written) && port <= 65_535);
  return serviceName.test(service) && isPort && rest.length === 0 ? { is: "shared", service, port } : undefined;
}

/** The arguments and variables with which an engine uses the cache. */
export function planPromptCache(
  cache: PromptCache,
  { engine, namespace }: { readonly engine: PromptCacheEngine | undefined; readonly namespace: string },
): PromptCachePlan {
  if (engine === undefined)
    return { is: "unsupported", why: "only vLLM, SGLang and llama.cpp support it; use one of them, or remove it" };
  const args = argumentsOf[engine][cache.is];
  if (args === undefined)
    return { is: "unsupported", why: `${engine} cannot share its cache; set it to local or none, or use vLLM` };
  return { is: "planned", args, env: cache.is === "shared" ? lmCacheEnv({ ...cache, namespace }) : [] };
}

const flag = (name: string): readonly EngineArgument[] => [{ form: "switch", flag: name }];

type Table = Readonly<Record<PromptCacheEngine, Partial<Record<PromptCache["is"], readonly EngineArgument[]>>>>;

const argumentsOf: Table = {
  vllm: {
    none: flag("--no-enable-prefix-caching"),
    local: flag("--enable-prefix-caching"),
    shared: [lmCacheConnector],
  },
  // SGLang has no switch for what it does by default.
  sglang: { none: flag("--disable-radix-cache"), local: [], shared: flag("--enable-lmcache") },
  "llama.cpp": { none: flag("--no-cache-prompt"), local: flag("--cache-prompt") },
};
