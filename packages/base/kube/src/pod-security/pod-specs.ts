import { isObject, type Json } from "@trivium/std";
import type * as api from "../generated/api.ts";
import type { KubeObject } from "../object.ts";

/** A pod's spec inside another object, and where it stands. */
export interface PlacedPodSpec {
  readonly at: string;
  readonly spec: api.PodSpec;
}

/** Where kinds that run pods keep their templates. */
const places: readonly string[] = [
  "spec.template.spec",
  "spec.jobTemplate.spec.template.spec",
  "spec.leaderWorkerTemplate.leaderTemplate.spec",
  "spec.leaderWorkerTemplate.workerTemplate.spec",
  "spec.predictor",
];

/** The pods that an object will run, as their specs are written in it. */
export function podSpecsIn(object: KubeObject): PlacedPodSpec[] {
  if (object.kind === "Pod") return [{ at: "spec", spec: (object as api.Pod).spec }];
  return places.flatMap((at) => {
    let value: Json | undefined = object as unknown as Json;
    for (const key of at.split(".")) value = isObject(value) ? value[key] : undefined;
    if (!isObject(value)) return [];
    const containers = Array.isArray(value.containers) ? value.containers : [];
    // A predictor with a model has its container there.
    const model = isObject(value.model) ? [{ name: "kserve-container", ...value.model }] : [];
    if (containers.length + model.length === 0) return [];
    return [{ at, spec: { ...value, containers: [...containers, ...model] } as unknown as api.PodSpec }];
  });
}
