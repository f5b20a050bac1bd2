import type { Amounts, Pod } from "@trivium/kube";

/** A container that asks for nothing still takes something: used to compare nodes, never to refuse one. */
const assumed: Readonly<Record<string, number>> = { cpu: 100, memory: 200 * 1024 * 1024 };

export function likelyUseOf(pod: Pod, requests: Amounts): Amounts {
  const use = new Map<string, number>();
  for (const resource of ["cpu", "memory"]) {
    const silent = pod.spec?.containers.filter(({ resources }) => resources?.requests?.[resource] === undefined).length;
    use.set(resource, (requests.get(resource) ?? 0) + (silent ?? 0) * (assumed[resource] as number));
  }
  return use;
}
