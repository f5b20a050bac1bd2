import type { api } from "@trivium/kube";
import type { BenchmarkJob } from "./check-spec.ts";

/** The pod that measures, before it is written down. */
export interface PodPlan {
  readonly image: string;
  readonly args: readonly string[];
  readonly env: readonly api.EnvVar[];
  readonly envFrom: readonly api.EnvFromSource[];
  readonly resources: api.ResourceRequirements;
  readonly mounts: readonly api.VolumeMount[];
  readonly volumes: readonly api.Volume[];
  readonly tolerations: readonly api.Toleration[];
  readonly nodeSelector: Readonly<Record<string, string>>;
  readonly affinity?: api.Affinity | undefined;
}

type Override = NonNullable<BenchmarkJob["spec"]["podOverride"]>;

/** What a person says comes on top: by name, path or key where things have one, added where they have none. */
export function overridePod(plan: PodPlan, over: Override): PodPlan {
  const { requests, limits, claims } = over.resources ?? {};
  return {
    ...plan,
    image: over.image || plan.image,
    env: merged(plan.env, over.env ?? [], ({ name }) => name),
    envFrom: [...plan.envFrom, ...(over.envFrom ?? [])],
    resources: {
      requests: { ...without(plan.resources.requests ?? {}, limits ?? {}), ...requests },
      limits: { ...plan.resources.limits, ...limits },
      ...(claims === undefined ? {} : { claims }),
    },
    mounts: merged(plan.mounts, over.volumeMounts ?? [], ({ mountPath }) => mountPath),
    volumes: merged(plan.volumes, over.volumes ?? [], ({ name }) => name),
    tolerations: [...plan.tolerations, ...(over.tolerations ?? [])],
    nodeSelector: { ...plan.nodeSelector, ...over.nodeSelector },
    ...(over.affinity === undefined ? {} : { affinity: over.affinity }),
  };
}

/** A limit that a person sets may be below what we ask for; without a request it is the request. */
const without = <Q>(requests: Readonly<Record<string, Q>>, limits: object): Record<string, Q> =>
  Object.fromEntries(Object.entries(requests).filter(([name]) => !(name in limits)));

function merged<T>(base: readonly T[], over: readonly T[], keyOf: (item: T) => string): T[] {
  const replaced = new Map(over.map((item) => [keyOf(item), item]));
  const known = new Set(base.map(keyOf));
  return [...base.map((item) => replaced.get(keyOf(item)) ?? item), ...over.filter((item) => !known.has(keyOf(item)))];
}
