import { union } from "./field-set.ts";
import { identityOf, type Managers, secondsOf } from "./managed-fields.ts";

const maxUpdaters = 10;
const bucketName = "ancient-changes";

/** At most ten managers of updates: beyond that the oldest of each version are thrown together. */
export function capManagers(managers: Managers): Managers {
  const updaters = [...managers].filter(([, { entry }]) => entry.operation === "Update");
  let excess = updaters.length - maxUpdaters;
  if (excess <= 0) return managers;
  updaters.sort(([a, left], [b, right]) => secondsOf(left.entry) - secondsOf(right.entry) || (a < b ? -1 : 1));
  const capped = new Map(managers);
  const firstOf = new Map<string, string>();
  for (const [identity, { entry, fields }] of updaters) {
    if (excess <= 0) break;
    const { apiVersion = "", time } = entry;
    const first = firstOf.get(apiVersion);
    if (first === undefined) {
      firstOf.set(apiVersion, identity);
      continue;
    }
    const bucketEntry = {
      manager: bucketName,
      operation: "Update" as const,
      apiVersion,
      ...(time === undefined ? {} : { time }),
    };
    const bucket = identityOf(bucketEntry);
    const held = capped.get(bucket) ?? capped.get(first);
    if (!capped.has(bucket)) capped.delete(first);
    capped.delete(identity);
    capped.set(bucket, { entry: bucketEntry, fields: union(fields, held?.fields ?? {}) });
    excess--;
  }
  return capped;
}
