import { deepEqual, isObject } from "@trivium/std";
import type { Law } from "./law.ts";
import { essence, variants } from "./shape.ts";

/**
 * Lists of what was found have no order: turned around, they give the same decision. Those are the lists of objects, and the lists
 * at the top of what was seen; a list deeper inside belongs to a user, whose order may mean something.
 */
export const order: Law = ({ case: { observed }, decide }) => {
  const wanted = essence(decide());
  const faults: string[] = [];
  for (const { path, value } of variants(observed, turnedAround)) {
    if (!deepEqual(essence(decide({ observed: value })), wanted)) faults.push(`depends on the order of ${path}`);
  }
  return faults;
};

function turnedAround(part: unknown, path: string): readonly unknown[] {
  if (!Array.isArray(part) || part.length < 2) return [];
  const isTop = /^[^.[\]]*(\.value)?$/.test(path);
  if (!isTop && !part.every((item) => isObject(item) && isObject(item.metadata))) return [];
  return [part.toReversed(), [...part.slice(1), part[0]]];
}
