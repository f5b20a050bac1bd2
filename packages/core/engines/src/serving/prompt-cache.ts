import type { api } from "@trivium/kube";

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
  | { readonly is: "planned"; readonly args: readonly string[]; readonly env: readonly api.EnvVar[] }
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
  return { is: "planned", args, env: cache.is === "shared" ? sharedEnv(cache, namespace) : [] };
}

const connector = JSON.stringify({ kv_connector: "LMCacheConnectorV1", kv_role: "kv_both" });

const argumentsOf: Readonly<Record<PromptCacheEngine, Partial<Record<PromptCache["is"], readonly string[]>>>> = {
  vllm: {
    none: ["--no-enable-prefix-caching"],
    local: ["--enable-prefix-caching"],
    shared: ["--kv-transfer-config", connector],
  },
  // SGLang has no switch for what it does unless told otherwise.
  sglang: { none: ["--disable-radix-cache"], local: [], shared: ["--enable-lmcache"] },
  "llama.cpp": { none: ["--no-cache-prompt"], local: ["--cache-prompt"] },
};

/** The settings of LMCache. With one hash seed all replicas find a prompt under the same key. */
const sharedEnv = (
  { service, port }: Extract<PromptCache, { is: "shared" }>,
  namespace: string,
): readonly api.EnvVar[] => [
  { name: "LMCACHE_USE_EXPERIMENTAL", value: "True" },
  { name: "LMCACHE_LOCAL_CPU", value: "True" },
  { name: "LMCACHE_REMOTE_URL", value: `redis://${service}.${namespace}.svc.cluster.local:${port}` },
  { name: "LMCACHE_REMOTE_SERDE", value: "naive" },
  { name: "PYTHONHASHSEED", value: "0" },
];
