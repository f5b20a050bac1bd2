import { deepEqual, formatTime, type Instant, isObject, type Json } from "@trivium/std";

/** A status with the time at which it became what it is: the old time as long as nothing else differs. */
export function stampLastUpdated<S extends { lastUpdated?: string | null | undefined }>(
  before: S | undefined,
  status: S,
  now: Instant,
): S {
  const isSame = before?.lastUpdated && deepEqual(essence(before), essence(status));
  return { ...status, lastUpdated: isSame ? before.lastUpdated : formatTime(now) };
}

/** Without what the server, the runtime and the reconcilers of the queue and of the cache budget add. */
function essence(status: object): Json {
  const { lastUpdated: _, queuePosition: __, cache: ___, conditions, ...rest } = status as { [key: string]: Json };
  const plain = Array.isArray(conditions) ? conditions.map(withoutTime) : [];
  return { ...rest, conditions: plain };
}

function withoutTime(condition: Json): Json {
  if (!isObject(condition)) return condition;
  const { lastTransitionTime: _, observedGeneration: __, ...rest } = condition;
  return rest;
}
