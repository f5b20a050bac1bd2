import { cloneJson, deepEqual, deepFreeze } from "@trivium/std";
import type { Law } from "./law.ts";

/** Frozen input, two calls, equal decisions: no hidden clock, no chance, nothing written into what was given. */
export const pure: Law = ({ case: { object, observed }, decide }) => {
  const frozen = { object: deepFreeze(cloneJson(object)), observed: deepFreeze(structuredClone(observed)) };
  const first = decide(frozen);
  const second = decide(frozen);
  return deepEqual(first, second) ? [] : ["two calls with the same input decide differently"];
};
