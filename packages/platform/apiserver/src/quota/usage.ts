import type { AnyObject, api } from "@trivium/kube";
import { compareQuantity, type Instant, parseQuantity, parseTime, type Quantity } from "@trivium/std";
import { type Amounts, addTo, one, readAmounts } from "./amounts.ts";
import { podResources } from "./pod-resources.ts";

/** Counted under their bare names, as they were before every resource could be. */
const plainCounts: ReadonlySet<string> = new Set([
  "configmaps",
  "persistentvolumeclaims",
  "replicationcontrollers",
  "resourcequotas",
  "secrets",
  "services",
]);

/** What one object counts against quotas; `resource` is `pods` or `deployments.apps`. */
export function usageOf(resource: string, object: AnyObject, now: Instant): Amounts {
  const usage = new Map<string, Quantity>([[`count/${resource}`, one]]);
  if (plainCounts.has(resource)) usage.set(resource, one);
  switch (resource) {
    case "pods":
      addTo(usage, usageOfPod(object as unknown as api.Pod, now));
      break;
    case "services":
      addTo(usage, usageOfService((object as unknown as api.Service).spec ?? {}));
      break;
    case "persistentvolumeclaims":
      addTo(usage, usageOfClaim(object as unknown as api.PersistentVolumeClaim));
      break;
  }
  return usage;
}

/** A pod that has ended, or whose time to end is over, uses nothing. */
function usageOfPod(pod: api.Pod, now: Instant): Amounts {
  if (isOver(pod, now)) return new Map();
  const usage = computeUsage(podResources(pod.spec, "requests"), podResources(pod.spec, "limits"));
  usage.set("pods", one);
  return usage;
}

function isOver({ metadata, status }: api.Pod, now: Instant): boolean {
  if (status?.phase === "Failed" || status?.phase === "Succeeded") return true;
  const { deletionTimestamp, deletionGracePeriodSeconds } = metadata;
  if (deletionTimestamp === undefined || deletionGracePeriodSeconds === undefined) return false;
  return now > (parseTime(deletionTimestamp) ?? now) + deletionGracePeriodSeconds * 1000;
}

const computing: ReadonlySet<string> = new Set(["cpu", "memory", "ephemeral-storage"]);
const isHugePages = (name: string): boolean => name.startsWith("hugepages-");
/** GPUs and other devices are named by the vendor's domain. */
const isExtended = (name: string): boolean => name.includes("/") && !name.includes("kubernetes.io/");

const quantityOf = (count: number): Quantity => parseQuantity(count) as Quantity;

/** The names under which requests and limits are counted. */
export function computeUsage(requests: Amounts, limits: Amounts): Map<string, Quantity> {
  const usage = new Map<string, Quantity>();
  for (const [name, amount] of requests) {
    if (computing.has(name) || isHugePages(name)) usage.set(name, amount);
    if (computing.has(name) || isHugePages(name) || isExtended(name)) usage.set(`requests.${name}`, amount);
  }
  for (const [name, amount] of limits) if (computing.has(name)) usage.set(`limits.${name}`, amount);
  return usage;
}

function usageOfService({ type, ports = [], allocateLoadBalancerNodePorts }: Partial<api.ServiceSpec>): Amounts {
  const count = quantityOf(ports.length);
  if (type === "NodePort") return new Map([["services.nodeports", count]]);
  if (type !== "LoadBalancer") return new Map();
  const nodePorts =
    allocateLoadBalancerNodePorts === false
      ? quantityOf(ports.filter(({ nodePort = 0 }) => nodePort > 0).length)
      : count;
  return new Map([
    ["services.loadbalancers", one],
    ["services.nodeports", nodePorts],
  ]);
}

const ofClass = (name: string, resource: string): string => `${name}.storageclass.storage.k8s.io/${resource}`;

function usageOfClaim({ spec, status }: api.PersistentVolumeClaim): Amounts {
  const usage = new Map<string, Quantity>();
  const className = spec.storageClassName ?? "";
  if (className !== "") usage.set(ofClass(className, "persistentvolumeclaims"), one);
  // A claim that grows counts as large as it becomes; one that shrinks counts until it has.
  const asked = readAmounts(spec.resources?.requests).get("storage");
  const given = readAmounts(status?.allocatedResources).get("storage");
  const sizes = new Map<string, Quantity>();
  if (asked !== undefined) sizes.set("requests.storage", larger(asked, given));
  if (asked !== undefined && className !== "") sizes.set(ofClass(className, "requests.storage"), larger(asked, given));
  addTo(usage, sizes);
  return usage;
}

const larger = (a: Quantity, b: Quantity | undefined): Quantity =>
  b === undefined || compareQuantity(b, a) <= 0 ? a : b;
