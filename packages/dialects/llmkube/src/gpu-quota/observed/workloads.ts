import { type api, Deployment, HorizontalPodAutoscaler, type Kind } from "@trivium/kube";
import type { Part, Reader } from "@trivium/reconcile";
import { serviceLabel } from "../../names.ts";

/** The GPUs that the Deployments of a service request, also those of a canary. */
export interface QuotaWorkload {
  /** Namespace and name of the service, which may be gone. */
  readonly key: string;
  readonly gpus: number;
}

export const workloadReads = [Deployment, HorizontalPodAutoscaler] as const satisfies readonly Kind[];

/**
 * What was granted says what may run; only Deployments say what does. They outlive a service that a finalizer holds, one that was deleted
 * without its dependents, and one whose Model is gone.
 */
export function observeWorkloads(reader: Reader<(typeof workloadReads)[number]>): QuotaWorkload[] {
  const scalers = reader.listParts(HorizontalPodAutoscaler, {}, scalerPart);
  const maxima = new Map(scalers.map(({ target, max }) => [target, max]));
  const gpus = new Map<string, number>();
  for (const { service, target, each, replicas } of reader.listParts(Deployment, {}, deploymentPart)) {
    // An autoscaler asks nobody, and leaves a Deployment without replicas alone.
    const most = replicas === 0 ? 0 : Math.max(replicas, maxima.get(target) ?? 0);
    gpus.set(service, (gpus.get(service) ?? 0) + each * most);
  }
  return [...gpus].map(([key, count]) => ({ key, gpus: count }));
}

interface Requested {
  readonly service: string;
  readonly target: string;
  /** GPUs of one replica. */
  readonly each: number;
  readonly replicas: number;
}

const deploymentPart: Part<Deployment, Requested | undefined> = {
  name: "GPUs of a Deployment",
  of: ({ metadata: { namespace, name, labels }, spec }) => {
    const service = labels?.[serviceLabel];
    const each = gpusOf(spec?.template.spec);
    if (service === undefined || each === 0) return undefined;
    return { service: `${namespace}/${service}`, target: `${namespace}/${name}`, each, replicas: spec?.replicas ?? 1 };
  },
};

const scalerPart: Part<HorizontalPodAutoscaler, { readonly target: string; readonly max: number } | undefined> = {
  name: "most replicas of a Deployment",
  of: ({ metadata: { namespace, labels }, spec }) =>
    spec === undefined || labels?.[serviceLabel] === undefined
      ? undefined
      : { target: `${namespace}/${spec.scaleTargetRef.name}`, max: spec.maxReplicas },
};

/** GPUs have many names (vendors, MIG slices, `resourceName` of a Model); nothing else in these pods has the name of a device. */
function gpusOf(pod: api.PodSpec | undefined): number {
  const limits = (pod?.containers ?? []).flatMap(({ resources }) => Object.entries(resources?.limits ?? {}));
  const devices = limits.filter(([name]) => name.includes("/")).map(([, count]) => Number(count));
  return devices.reduce((sum, count) => sum + (count > 0 ? count : 0), (pod?.resourceClaims ?? []).length);
}
