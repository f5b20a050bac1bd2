import type { KubeObject } from "@trivium/kube";
import { deepEqual } from "@trivium/std";
import type { Law } from "./law.ts";
import { essence, withoutTimes } from "./shape.ts";

const maxPasses = 5;

/** With its own status written back and nothing else changed, an object is quiet within five passes. */
export const fixpoint: Law = ({ case: { object }, decide }) => {
  let current: KubeObject = object;
  let last = decide();
  for (let pass = 1; pass < maxPasses; pass += 1) {
    if (last.do === "release") return [];
    current = { ...object, status: withoutTimes(last.status) } as KubeObject;
    const next = decide({ object: current });
    if (deepEqual(essence(next), essence(last))) return [];
    last = next;
  }
  return [`still decides something new after ${maxPasses} passes over its own status`];
};
