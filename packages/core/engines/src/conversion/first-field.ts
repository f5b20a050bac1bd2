import type { PortableKey } from "@trivium/domain";
import type { api } from "@trivium/kube";
import type { FieldReader } from "./field-reader.ts";
import { splitToken } from "./token-env.ts";

/** Places of one setting, the one that takes precedence first. */
export type FieldPlace = readonly [FieldReader, ...string[]];

/** The value that takes precedence; all places count as read. */
export function takeFirst<T>(key: PortableKey, places: readonly FieldPlace[]): T | undefined {
  return places.map(([reader, ...path]) => reader.take<T>(key, ...path)).find((value) => value !== undefined);
}

/** Variables of all places, by name, with the token of the hub apart. */
export function takeEnv(places: readonly FieldPlace[]): ReturnType<typeof splitToken> {
  const all = new Map<string, api.EnvVar>();
  for (const [reader, ...path] of places) {
    const stated = reader.skip<api.EnvVar[]>(...path) ?? [];
    const { token, env } = splitToken(stated);
    if (token !== undefined) reader.note("token", path, stated.filter((one) => !env.includes(one)) as never);
    if (env.length > 0) reader.note("env", path, env as never);
    for (const one of stated) if (!all.has(one.name)) all.set(one.name, one);
  }
  return splitToken([...all.values()]);
}
