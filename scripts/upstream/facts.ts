import { readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * The fields of the newest published release of an API: names and types, no prose. Kept as `parity/newest.json` of a
 * dialect, so that the next release shows as a diff.
 */
export interface ReleaseFacts {
  readonly release: string;
  readonly kinds: readonly KindFacts[];
}

export interface KindFacts {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly scope: "Namespaced" | "Cluster";
  readonly fields: FieldTypes;
}

/** Path → type. `spec.files[]` is an entry of a list, `spec.labels{}` a value of a map. */
export type FieldTypes = Readonly<Record<string, string>>;

export const factsPath = (dialect: string): string => `packages/dialects/${dialect}/parity/newest.json`;

export function readReleaseFacts(dialect: string): ReleaseFacts {
  return JSON.parse(readFileSync(join(import.meta.dirname, "../..", factsPath(dialect)), "utf8")) as ReleaseFacts;
}
