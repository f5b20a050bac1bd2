import type { PodPlan } from "@trivium/domain";
import type { api } from "@trivium/kube";
import type { ComponentSpec } from "../roles/component.ts";

export type PodRole = "leader" | "worker";

/** What of a component describes one kind of pod. */
export type PodPart = Omit<ComponentSpec, "leader" | "worker">;

/** A leader or worker that says nothing of its container is like the component; what else it says holds. */
export function partOf(spec: ComponentSpec, role: PodRole | undefined): PodPart {
  const { leader, worker, ...own } = spec;
  if (role === undefined) return own;
  const leading = partOver(own, leader);
  if (role === "leader") return leading;
  const { size: _, ...following } = worker ?? {};
  return partOver(leading, following);
}

const partOver = (base: PodPart, part: PodPart | undefined): PodPart =>
  part !== undefined && hasContainer(part) ? part : { ...base, ...part };

const hasContainer = ({ runner, containers = [] }: PodPart): boolean => runner !== undefined || containers.length > 0;

/** Whether workers run what their leader runs. */
export const isLikeLeader = ({ worker = {} }: ComponentSpec): boolean => !hasContainer(worker);

/** Pods of one group, the leader among them. */
export const groupSizeOf = ({ worker }: ComponentSpec): number => 1 + Math.max(0, worker?.size ?? 0);

const scraping = ["prometheus.io/scrape", "prometheus.io/port", "prometheus.io/path"];

/** By its label a leader is found; nobody scrapes those who follow. */
export function withRole(plan: PodPlan, role: PodRole | undefined): PodPlan {
  if (role === "leader") return { ...plan, labels: { ...plan.labels, "ray.io/node-type": "head" } };
  if (role !== "worker") return plan;
  const annotations = Object.entries(plan.annotations).filter(([key]) => !scraping.includes(key));
  return { ...plan, annotations: Object.fromEntries(annotations) };
}

/** What of it are the fields of a pod. */
export function podFieldsOf(part: PodPart): Omit<api.PodSpec, "containers"> {
  const { runner, config, acceleratorOverride, containers, ...rest } = part;
  const { minReplicas, maxReplicas, scaleTarget, scaleMetric, containerConcurrency, timeoutSeconds, ...more } = rest;
  const { canaryTrafficPercent, labels, annotations, deploymentStrategy, kedaConfig, ...others } = more;
  const { minAvailable, maxUnavailable, ...pod } = others;
  return pod;
}
