import type { ObservedPod } from "@trivium/domain";
import { controllerOf, Deployment, isOwnedBy, type Kind, type KubeObject, Pod, Service } from "@trivium/kube";
import type { Reader } from "@trivium/reconcile";
import { type Fact, known } from "@trivium/std";
import { observePod, podReads } from "../health/index.ts";

/** The objects of a canary and the labels of its pods. */
export interface CanaryNames {
  readonly workload: string;
  readonly address: string;
  /** At least one label of the workload's selector has another value in it, so that neither finds the pods of the other. */
  readonly selector: Readonly<Record<string, string>>;
}

/** What exists under the names of a canary. */
export interface ObservedCanary {
  readonly workload: Fact<NameHolder>;
  readonly address: Fact<NameHolder>;
  readonly pods: readonly ObservedPod[];
}

/** Whose object has a name: the service's own, or that of another owner, such as `InferenceService chat-canary`. */
export type NameHolder = { readonly isOurs: true } | { readonly isOurs: false; readonly owner?: string };

export const canaryReads = [Deployment, Service, Pod, ...podReads] as const satisfies readonly Kind[];
type CanaryReader = Reader<(typeof canaryReads)[number]>;

/** Reads the pods of a canary, and whether its names belong to the service. `template` is as in `summarizePod`. */
export function observeCanary(
  service: KubeObject,
  {
    names,
    template,
    reader,
  }: { readonly names: CanaryNames; readonly template: string; readonly reader: CanaryReader },
): ObservedCanary {
  const { namespace } = service.metadata;
  const holder = (found: Fact<KubeObject>): Fact<NameHolder> =>
    found.is === "known" ? known(holderOf(found.value, service, names.selector)) : found;
  return {
    workload: holder(reader.get(Deployment, { namespace, name: names.workload })),
    address: holder(reader.get(Service, { namespace, name: names.address })),
    pods: reader.list(Pod, { namespace, labels: names.selector }).map((pod) => observePod(pod, template, reader)),
  };
}

function holderOf(object: KubeObject, service: KubeObject, labels: Readonly<Record<string, string>>): NameHolder {
  if (isOwnedBy(object, service)) return { isOurs: true };
  const controller = controllerOf(object);
  if (controller !== undefined) return { isOurs: false, owner: `${controller.kind} ${controller.name}` };
  // What a service of this name left behind has its labels and no owner; it is adopted.
  const isLeftBehind = Object.entries(labels).every(([key, value]) => object.metadata.labels?.[key] === value);
  return isLeftBehind ? { isOurs: true } : { isOurs: false };
}
