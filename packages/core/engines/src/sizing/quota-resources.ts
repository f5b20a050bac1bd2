import { type api, ResourceQuota } from "@trivium/kube";
import type { Part, Reader } from "@trivium/reconcile";
import { compareQuantity, parseQuantity } from "@trivium/std";

/** Enough for a container that downloads or inspects: it streams, whatever the size of the model. */
const requests = { cpu: "100m", memory: "256Mi" } as const;
const limits = { cpu: "2", memory: "4Gi" } as const;
type Resource = keyof typeof requests;

/**
 * What a container of a Job must state so that the quotas of its namespace admit its pod: a namespace that counts CPU or memory refuses
 * pods that request none. Nothing where no quota counts them.
 */
export function observeQuotas(
  namespace: string,
  reader: Pick<Reader<typeof ResourceQuota>, "listParts">,
): api.ResourceRequirements | undefined {
  return resourcesForQuotas(reader.listParts(ResourceQuota, { namespace }, hardLimits));
}

/** What is used changes with every pod of the namespace. */
const hardLimits: Part<ResourceQuota, Readonly<Record<string, string | number>>> = {
  name: "hard",
  of: ({ spec }) => spec.hard ?? {},
};

export function resourcesForQuotas(
  quotas: readonly Readonly<Record<string, string | number>>[],
): api.ResourceRequirements | undefined {
  const hard = (key: string) => quotas.flatMap((quota) => (quota[key] === undefined ? [] : [String(quota[key])]));
  const asked: Record<string, string> = {};
  const limited: Record<string, string> = {};
  for (const resource of ["cpu", "memory"] as const) {
    const ofRequests = [...hard(resource), ...hard(`requests.${resource}`)];
    const ofLimits = hard(`limits.${resource}`);
    if (ofLimits.length > 0) limited[resource] = smallest([limits[resource], ...ofLimits]);
    if (ofRequests.length + ofLimits.length > 0)
      asked[resource] = smallest([requests[resource as Resource], ...ofRequests, ...ofLimits]);
  }
  if (Object.keys(asked).length === 0) return undefined;
  return { requests: asked, ...(Object.keys(limited).length === 0 ? {} : { limits: limited }) };
}

/** A smaller quota bounds it. A quota of zero admits nothing, and the API server reports that. */
function smallest([preferred = "", ...bounds]: readonly string[]): string {
  const isLess = (a: string, b: string): boolean => {
    const [one, other] = [parseQuantity(a), parseQuantity(b)];
    return one !== undefined && other !== undefined && compareQuantity(one, other) < 0;
  };
  return bounds.reduce((least, bound) => (isLess("0", bound) && isLess(bound, least) ? bound : least), preferred);
}

/** CPU and memory of a container, for those that run before it in the same pod: a pod counts the larger of the two, so this costs nothing. */
export function resourcesBefore({ requests, limits }: api.ResourceRequirements): Pick<api.Container, "resources"> {
  const counted = (all: Readonly<Record<string, string | number>> | undefined) =>
    Object.fromEntries(Object.entries(all ?? {}).filter(([name]) => name === "cpu" || name === "memory"));
  const parts = Object.entries({ requests: counted(requests), limits: counted(limits) });
  const given = parts.filter(([, all]) => Object.keys(all).length > 0);
  return given.length === 0 ? {} : { resources: Object.fromEntries(given) };
}
