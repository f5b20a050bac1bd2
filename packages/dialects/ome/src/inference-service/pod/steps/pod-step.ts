import type { PodPlan } from "@trivium/domain";
import type { api } from "@trivium/kube";
import type { Configuration } from "../../../configuration/index.ts";
import type { ObservedModel } from "../../observed/model.ts";
import type { ComponentName, ComponentSpec } from "../../roles/component.ts";
import type { ModelMount } from "../../weights/model-mount.ts";

/** What a step knows beside the pod itself. */
export interface PodStepContext {
  readonly component: ComponentName;
  readonly spec: ComponentSpec;
  readonly model: ObservedModel;
  readonly mount: ModelMount;
  /** Name of the container that serves. */
  readonly main: string;
  readonly mode?: string | undefined;
  readonly configuration?: Configuration | undefined;
}

/** Something that annotations ask to have done to a pod. What they do not ask for leaves it as it is. */
export type PodStep = (pod: PodPlan, context: PodStepContext) => PodPlan;

/** What is asked for cannot be done as things are. */
export class PodStepRefusal extends Error {}

/** The pod with one of its containers changed; unchanged where there is none of that name. */
export function withContainer(
  pod: PodPlan,
  name: string,
  change: (container: api.Container) => api.Container,
): PodPlan {
  const containers = pod.spec.containers.map((one) => (one.name === name ? change(one) : one));
  return { ...pod, spec: { ...pod.spec, containers } };
}

interface Named {
  readonly name: string;
}

/** What is there stays; of what is added only names that are new. */
export const addNew = <T extends Named>(there: readonly T[] | undefined, added: readonly T[]): T[] => [
  ...(there ?? []),
  ...added.filter(({ name }) => there?.some((one) => one.name === name) !== true),
];

/** A volume is mounted once at a path; a path that the user filled stays theirs. */
export const addMounts = (
  there: readonly api.VolumeMount[] | undefined,
  added: readonly api.VolumeMount[],
): api.VolumeMount[] => [
  ...(there ?? []),
  ...added.filter(({ mountPath }) => there?.some((one) => one.mountPath === mountPath) !== true),
];
