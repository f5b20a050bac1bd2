import type { ObjectOf } from "@trivium/kube";
import type { AIMKVCache } from "../../kinds/kv-cache.ts";
import { labels } from "../../labels.ts";
import { derivedName, labelValueOf } from "../../names.ts";

export type KVCache = ObjectOf<typeof AIMKVCache>;
export type KVCacheStatus = NonNullable<KVCache["status"]>;

export const port = 6379;
const typeOf = ({ spec }: KVCache): string => spec?.kvCacheType ?? "redis";
const hashed = ({ metadata: { namespace = "", name = "" } }: KVCache): string[] => [namespace, name];

export const setNameOf = (cache: KVCache): string =>
  derivedName([cache.metadata.name ?? "", typeOf(cache)], hashed(cache));
export const addressNameOf = (cache: KVCache): string =>
  derivedName([cache.metadata.name ?? "", typeOf(cache), "svc"], hashed(cache));

export const labelsOf = (cache: KVCache): Record<string, string> => ({
  app: "redis",
  [labels.kvCache]: labelValueOf(cache.metadata.name ?? ""),
  [labels.kvCacheType]: typeOf(cache),
});

/** An entry of a Secret. */
export interface PasswordPlace {
  readonly name: string;
  readonly key: string;
}

export function passwordOf({ spec }: Pick<KVCache, "spec">): PasswordPlace | undefined {
  const place = spec?.passwordSecret;
  return place === undefined ? undefined : { name: place.name, key: place.key || "password" };
}
