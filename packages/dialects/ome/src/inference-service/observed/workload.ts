import { isIdledByGateway, isStopped, observeTemplate, refusedPods } from "@trivium/engines";
import {
  type Deployment,
  findCondition,
  type KnativeService,
  type KubeObject,
  type LeaderWorkerSet,
} from "@trivium/kube";
import { runtimeAnnotation, runtimeScopeAnnotation, selectedClassAnnotation, templateAnnotation } from "../../names.ts";
import type { RuntimeName } from "../../selection/index.ts";

export interface ObservedCondition {
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

/** What matters of the Deployment or LeaderWorkerSet of a component. */
export interface ObservedWorkload {
  readonly replicas: number;
  readonly isIdled: boolean;
  /** A person stopped it. */
  readonly isStopped?: boolean | undefined;
  readonly revision?: string | undefined;
  readonly available?: ObservedCondition | undefined;
  readonly runtime?: RuntimeName | undefined;
  /** The accelerator class that a policy selected for it. */
  readonly accelerator?: string | undefined;
  /** Why its pods cannot be created. */
  readonly refused?: string | undefined;
  /** Which template its pods are made from. */
  readonly template?: string | undefined;
  /** The mark of pods that an upgrade kept; they count as `template`. */
  readonly keeps?: string | undefined;
}

/** What matters of the Knative Service of a component. */
export interface ObservedRevision {
  /** Whether what it says is about what was asked of it last. */
  readonly isCurrent: boolean;
  readonly ready?: ObservedCondition | undefined;
  readonly routes?: ObservedCondition | undefined;
  readonly configurations?: ObservedCondition | undefined;
  readonly latestReady?: string | undefined;
  readonly latestCreated?: string | undefined;
  readonly traffic: readonly ObservedTraffic[];
  readonly url?: string | undefined;
  readonly address?: string | undefined;
  readonly runtime?: RuntimeName | undefined;
  readonly accelerator?: string | undefined;
}

export type ObservedTraffic = NonNullable<NonNullable<KnativeService["status"]>["traffic"]>[number];

type Conditions =
  | readonly { type: string; status: string; reason?: string | undefined; message?: string | undefined }[]
  | undefined;

export function observedDeployment(deployment: Deployment): ObservedWorkload {
  const { metadata, spec, status } = deployment;
  const { annotations = {} } = metadata;
  return spoken({
    replicas: spec?.replicas ?? 1,
    isIdled: isIdledByGateway({ annotations }),
    isStopped: isStopped({ annotations }) || undefined,
    revision: annotations["deployment.kubernetes.io/revision"],
    available: observedCondition(status?.conditions, "Available"),
    refused: refusedPods(status?.conditions),
    runtime: runtimeOf(deployment),
    accelerator: annotations[selectedClassAnnotation],
    ...observeTemplate(deployment, spec?.template.metadata?.annotations?.[templateAnnotation]),
  });
}

export function observedGroup(group: LeaderWorkerSet): ObservedWorkload {
  const { metadata, spec, status } = group;
  return spoken({
    replicas: spec.replicas ?? 1,
    isIdled: isIdledByGateway(metadata),
    isStopped: isStopped(metadata) || undefined,
    available: observedCondition(status?.conditions, "Available"),
    runtime: runtimeOf(group),
    accelerator: metadata.annotations?.[selectedClassAnnotation],
    ...keptGroup(group),
  });
}

/** Of a group only pods that an upgrade kept are known by its template. */
function keptGroup(group: LeaderWorkerSet): Pick<ObservedWorkload, "template" | "keeps"> {
  const { leaderTemplate, workerTemplate } = group.spec.leaderWorkerTemplate;
  const { annotations } = (leaderTemplate ?? workerTemplate).metadata ?? {};
  const observed = observeTemplate(group, annotations?.[templateAnnotation]);
  return observed.keeps === undefined ? {} : observed;
}

export function observedRevision(service: KnativeService): ObservedRevision {
  const { metadata, status = {} } = service;
  return spoken({
    isCurrent: status.observedGeneration === metadata.generation,
    ready: observedCondition(status.conditions, "Ready"),
    routes: observedCondition(status.conditions, "RoutesReady"),
    configurations: observedCondition(status.conditions, "ConfigurationsReady"),
    latestReady: status.latestReadyRevisionName,
    latestCreated: status.latestCreatedRevisionName,
    traffic: status.traffic ?? [],
    url: status.url,
    address: status.address?.url,
    runtime: runtimeOf(service),
    accelerator: metadata.annotations?.[selectedClassAnnotation],
  });
}

function observedCondition(conditions: Conditions, type: string): ObservedCondition | undefined {
  const found = findCondition(conditions, type);
  return found && { status: found.status, reason: found.reason ?? "", message: found.message ?? "" };
}

function runtimeOf({ metadata }: KubeObject): RuntimeName | undefined {
  const name = metadata.annotations?.[runtimeAnnotation];
  const scope = metadata.annotations?.[runtimeScopeAnnotation] === "cluster" ? "cluster" : "namespace";
  return name === undefined ? undefined : { name, scope };
}

const spoken = <T extends object>(observed: T): T =>
  Object.fromEntries(Object.entries(observed).filter(([, value]) => value !== undefined)) as T;
