import type { api } from "@trivium/kube";
import type { EngineArgument } from "../serving/engine-argument.ts";

/** The Service of a Redis in which replicas share computed prompts. */
export interface SharedCache {
  readonly service: string;
  readonly namespace: string;
  readonly port: number;
}

/** Where a password is: never its value. */
export interface PasswordReference {
  readonly name: string;
  readonly key: string;
}

/** How vLLM is connected with LMCache. */
export const lmCacheConnector: EngineArgument = {
  form: "value",
  flag: "--kv-transfer-config",
  value: JSON.stringify({ kv_connector: "LMCacheConnectorV1", kv_role: "kv_both" }),
};

const urlOf = ({ service, namespace, port }: SharedCache): string =>
  `redis://${service}.${namespace}.svc.cluster.local:${port}`;

const experimental = { name: "LMCACHE_USE_EXPERIMENTAL", value: "True" } as const;
/** With one hash seed all replicas find a prompt under the same key. */
const hashSeed = { name: "PYTHONHASHSEED", value: "0" } as const;

/** The settings of LMCache as variables. */
export const lmCacheEnv = (cache: SharedCache): readonly api.EnvVar[] => [
  experimental,
  { name: "LMCACHE_LOCAL_CPU", value: "True" },
  { name: "LMCACHE_REMOTE_URL", value: urlOf(cache) },
  { name: "LMCACHE_REMOTE_SERDE", value: "naive" },
  hashSeed,
];

export interface LmCacheFileInput {
  readonly cache: SharedCache;
  /** Where the container finds the file. */
  readonly path: string;
  /** What a user wrote; `{SERVICE_URL}` is the address of the Redis. */
  readonly template?: string | undefined;
  readonly password?: PasswordReference | undefined;
}

/** The settings of LMCache as a file, and the variables that belong to it. */
export function planLmCacheFile({ cache, path, template, password }: LmCacheFileInput): {
  readonly text: string;
  readonly env: readonly api.EnvVar[];
} {
  const url = urlOf(cache);
  const env = [
    experimental,
    { name: "LMCACHE_CONFIG_FILE", value: path },
    { name: "LMCACHE_LOG_LEVEL", value: "INFO" },
    hashSeed,
    ...(password === undefined ? [] : loginEnv(url, password)),
  ];
  return { text: template?.replaceAll("{SERVICE_URL}", url) ?? defaultFile(url), env };
}

/** The address with the password is put together where the container starts: its variables win over the file, which everybody can read. */
const loginEnv = (url: string, { name, key }: PasswordReference): api.EnvVar[] => [
  { name: "KV_CACHE_PASSWORD", valueFrom: { secretKeyRef: { name, key } } },
  { name: "LMCACHE_REMOTE_URL", value: url.replace("redis://", "redis://:$(KV_CACHE_PASSWORD)@") },
];

const defaultFile = (url: string): string =>
  [
    "local_cpu: true",
    "chunk_size: 50",
    "max_local_cpu_size: 1.0",
    `remote_url: "${url}"`,
    'remote_serde: "naive"',
    "",
  ].join("\n");
