import { refusedPods } from "@trivium/engines";
import {
  type Deployment,
  findCondition,
  type KnativeService,
  type KubeObject,
  type LeaderWorkerSet,
} from "@trivium/kube";
import { runtimeAnnotation, runtimeScopeAnnotation, templateAnnotation } from "../names.ts";
import type { RuntimeName } from "../selection/index.ts";

export interface ConditionSeen {
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

/** What matters of the Deployment or LeaderWorkerSet of a component. */
export interface WorkloadSeen {
  readonly replicas: number;
  readonly isIdled: boolean;
  readonly revision?: string | undefined;
  readonly available?: ConditionSeen | undefined;
  readonly runtime?: RuntimeName | undefined;
  /** Why its pods cannot be created. */
  readonly refused?: string | undefined;
  /** Which template its pods are made from. */
  readonly template?: string | undefined;
}

/** What matters of the Knative Service of a component. */
export interface RevisionSeen {
  /** Whether what it says is about what was asked of it last. */
  readonly isCurrent: boolean;
  readonly ready?: ConditionSeen | undefined;
  readonly routes?: ConditionSeen | undefined;
  readonly configurations?: ConditionSeen | undefined;
  readonly latestReady?: string | undefined;
  readonly latestCreated?: string | undefined;
  readonly traffic: readonly TrafficSeen[];
  readonly url?: string | undefined;
  readonly address?: string | undefined;
  readonly runtime?: RuntimeName | undefined;
}

export type TrafficSeen = NonNullable<NonNullable<KnativeService["status"]>["traffic"]>[number];

type Conditions =
  | readonly { type: string; status: string; reason?: string | undefined; message?: string | undefined }[]
  | undefined;

export function deploymentSeen(deployment: Deployment): WorkloadSeen {
  const { metadata, spec, status } = deployment;
  const { annotations = {} } = metadata;
  return spoken({
    replicas: spec?.replicas ?? 1,
    isIdled: annotations["trivium.dev/awake-replicas"] !== undefined,
    revision: annotations["deployment.kubernetes.io/revision"],
    available: conditionSeen(status?.conditions, "Available"),
    refused: refusedPods(status?.conditions),
    runtime: runtimeOf(deployment),
    template: spec?.template.metadata?.annotations?.[templateAnnotation],
  });
}

export function groupSeen(group: LeaderWorkerSet): WorkloadSeen {
  const { metadata, spec, status } = group;
  return spoken({
    replicas: spec.replicas ?? 1,
    isIdled: metadata.annotations?.["trivium.dev/awake-replicas"] !== undefined,
    available: conditionSeen(status?.conditions, "Available"),
    runtime: runtimeOf(group),
  });
}

export function revisionSeen(service: KnativeService): RevisionSeen {
  const { metadata, status = {} } = service;
  return spoken({
    isCurrent: status.observedGeneration === metadata.generation,
    ready: conditionSeen(status.conditions, "Ready"),
    routes: conditionSeen(status.conditions, "RoutesReady"),
    configurations: conditionSeen(status.conditions, "ConfigurationsReady"),
    latestReady: status.latestReadyRevisionName,
    latestCreated: status.latestCreatedRevisionName,
    traffic: status.traffic ?? [],
    url: status.url,
    address: status.address?.url,
    runtime: runtimeOf(service),
  });
}

function conditionSeen(conditions: Conditions, type: string): ConditionSeen | undefined {
  const found = findCondition(conditions, type);
  return found && { status: found.status, reason: found.reason ?? "", message: found.message ?? "" };
}

function runtimeOf({ metadata }: KubeObject): RuntimeName | undefined {
  const name = metadata.annotations?.[runtimeAnnotation];
  const scope = metadata.annotations?.[runtimeScopeAnnotation] === "cluster" ? "cluster" : "namespace";
  return name === undefined ? undefined : { name, scope };
}

const spoken = <T extends object>(seen: T): T =>
  Object.fromEntries(Object.entries(seen).filter(([, value]) => value !== undefined)) as T;
