import { isObject, type Json } from "@trivium/std";

/** One directory of the shared cache, as the record of the namespace keeps it. */
export interface CacheRecord {
  readonly key: string;
  /** The Model that it is named after in messages. */
  readonly model: string;
  /** Where it comes from: a download that was not finished is known by it. */
  readonly source?: string;
  readonly bytes?: number;
  /** `granted`: a service can download it. `evicting`: it is being deleted. */
  readonly state: "granted" | "cached" | "evicting";
  /** When the last pod that used it ended; absent while it is used. */
  readonly lastUsed?: string;
  /** The Model that needs the space; absent where no Model has these weights any more. */
  readonly needed?: string;
}

const states: readonly string[] = ["granted", "cached", "evicting"];

/** The cache outlives Models and pods, so what is in it is written down. Entries that cannot be read are left out. */
export function parseRecords(data: Readonly<Record<string, string>> | undefined): CacheRecord[] {
  return Object.entries(data ?? {})
    .flatMap(([key, text]) => parseRecord(key, text) ?? [])
    .sort(byKey);
}

function parseRecord(key: string, text: string): CacheRecord | undefined {
  const found = parseJson(text);
  if (!/^[0-9a-f]{16}$/.test(key) || !isObject(found)) return undefined;
  const { model, source, bytes, state, lastUsed, needed } = found;
  if (typeof model !== "string" || typeof state !== "string" || !states.includes(state)) return undefined;
  return {
    key,
    model,
    state: state as CacheRecord["state"],
    ...(typeof source === "string" ? { source } : {}),
    ...(typeof bytes === "number" && bytes >= 0 ? { bytes } : {}),
    ...(typeof lastUsed === "string" ? { lastUsed } : {}),
    ...(typeof needed === "string" ? { needed } : {}),
  };
}

function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

export const formatRecords = (records: readonly CacheRecord[]): Record<string, string> =>
  Object.fromEntries(
    records
      .toSorted(byKey)
      .map(({ key, model, source, state, bytes, lastUsed, needed }) => [
        key,
        JSON.stringify({ model, source, state, bytes, lastUsed, needed }),
      ]),
  );

const byKey = (a: { readonly key: string }, b: { readonly key: string }): number => (a.key < b.key ? -1 : 1);
