import type { Resource } from "../resource.ts";

/** One API group with its versions, the preferred one first. */
export interface Group {
  readonly name: string;
  readonly versions: readonly GroupVersion[];
}

export interface GroupVersion {
  readonly group: string;
  readonly version: string;
  readonly resources: readonly Resource[];
}

/**
 * The order in which a kube-apiserver lists its own groups. It decides which group wins when a client names a resource
 * without one (`kubectl get events`); groups of CRDs come after them, by name.
 */
const builtInOrder = [
  "",
  "apiregistration.k8s.io",
  "apps",
  "events.k8s.io",
  "authentication.k8s.io",
  "authorization.k8s.io",
  "autoscaling",
  "batch",
  "certificates.k8s.io",
  "networking.k8s.io",
  "policy",
  "rbac.authorization.k8s.io",
  "storage.k8s.io",
  "admissionregistration.k8s.io",
  "apiextensions.k8s.io",
  "scheduling.k8s.io",
  "coordination.k8s.io",
  "node.k8s.io",
  "discovery.k8s.io",
  "resource.k8s.io",
  "flowcontrol.apiserver.k8s.io",
];

export function groupResources(resources: readonly Resource[]): Group[] {
  const groups = new Map<string, Map<string, Resource[]>>();
  for (const resource of resources) {
    const versions = getOrMake(groups, resource.group, () => new Map<string, Resource[]>());
    getOrMake(versions, resource.version, () => []).push(resource);
  }
  return [...groups]
    .sort(([a], [b]) => rankOfGroup(a) - rankOfGroup(b) || compareText(a, b))
    .map(([name, versions]) => ({
      name,
      versions: [...versions]
        .sort(([a], [b]) => compareVersions(a, b))
        .map(([version, list]) => ({
          group: name,
          version,
          resources: list.sort((a, b) => compareText(a.plural, b.plural)),
        })),
    }));
}

export function groupVersionOf(of: { readonly group: string; readonly version: string }): string {
  return of.group === "" ? of.version : `${of.group}/${of.version}`;
}

function rankOfGroup(name: string): number {
  const rank = builtInOrder.indexOf(name);
  return rank === -1 ? builtInOrder.length : rank;
}

/** Stable before beta before alpha, newer before older, anything else last by name: `v10 v2 v1 v11beta2 v3beta1 v12alpha1 foo`. */
export function compareVersions(a: string, b: string): number {
  const [x, y] = [parseVersion(a), parseVersion(b)];
  if (x === undefined || y === undefined) return x !== undefined ? -1 : y !== undefined ? 1 : compareText(a, b);
  return x.stage - y.stage || y.major - x.major || y.minor - x.minor;
}

const stages = ["", "beta", "alpha"];

function parseVersion(text: string): { stage: number; major: number; minor: number } | undefined {
  const match = /^v([1-9][0-9]*)(?:(alpha|beta)([1-9][0-9]*))?$/.exec(text);
  if (match === null) return undefined;
  return { stage: stages.indexOf(match[2] ?? ""), major: Number(match[1]), minor: Number(match[3] ?? 0) };
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function getOrMake<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const found = map.get(key);
  if (found !== undefined) return found;
  const made = make();
  map.set(key, made);
  return made;
}
