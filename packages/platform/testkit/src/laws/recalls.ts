import type { KubeObject } from "@trivium/kube";
import { deepEqual } from "@trivium/std";
import type { Law } from "./law.ts";
import { essence, withoutTimes } from "./shape.ts";

/** With its own status written back, an object of which the reconciler recalls the same as before is decided as before. */
export const recalls: Law = ({ case: { object, observed }, decide, recalls: recalled }) => {
  const first = decide();
  if (recalled === undefined || first.do === "release") return [];
  const written = { ...object, status: withoutTimes(first.status) } as KubeObject;
  if (!deepEqual(recalled(object, observed), recalled(written, observed))) return [];
  const next = decide({ object: written });
  return deepEqual(essence(next), essence(first)) ? [] : ["its own status changes the decision, and is not recalled"];
};
