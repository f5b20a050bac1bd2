import type { ReplicaCount, ServiceSummary } from "@trivium/domain";
import type { AnyObject } from "@trivium/kube";
import { statusWords } from "./standing.ts";
import type { StatusReader } from "./status-reader.ts";

/** A service of any dialect, in one row. */
export interface ServiceRow {
  readonly namespace: string;
  readonly name: string;
  readonly api: string;
  readonly model: string;
  /** What was chosen to run it. */
  readonly profile: string;
  readonly replicas: string;
  /** One of the words of `statusWords`. */
  readonly status: string;
  /** The word of its own API. */
  readonly reason: string;
  readonly created: string;
  /** Why it does not serve, or what needs a person; nothing where all is as it should be. */
  readonly cause: string;
  readonly object: AnyObject;
}

export interface RowContext {
  /** The dialect. */
  readonly api: string;
  readonly reader: StatusReader;
  summarizeService(service: AnyObject): ServiceSummary;
  /** What the service depends on, where it is known. */
  readonly uses?: readonly AnyObject[];
  /** Workloads that can be the service's own, for APIs that report no numbers of replicas. */
  readonly workloads?: readonly AnyObject[];
}

export function serviceRow(object: AnyObject, context: RowContext): ServiceRow {
  const { api, reader, uses = [], workloads = [] } = context;
  const { name = "", namespace = "", creationTimestamp: created = "" } = object.metadata;
  const { is, word, why = "" } = reader.standingWith(object, uses);
  const summary = context.summarizeService(object);
  const replicas = summary.replicas ?? countReplicas(workloads.filter((one) => isOwned(one, object)));
  return {
    ...{ namespace, name, api, model: reader.modelNameOf(object) ?? "-" },
    profile: summary.profile ?? "-",
    replicas: replicas === undefined ? "-" : `${replicas.ready}/${replicas.desired}`,
    ...{ status: statusWords[is], reason: word, created, cause: is === "ready" ? "" : why, object },
  };
}

const isOwned = ({ metadata }: AnyObject, owner: AnyObject): boolean =>
  (metadata.ownerReferences ?? []).some(({ uid }) => uid === owner.metadata.uid);

interface Workload {
  readonly spec?: { readonly replicas?: number };
  readonly status?: { readonly readyReplicas?: number };
}

function countReplicas(workloads: readonly AnyObject[]): ReplicaCount | undefined {
  if (workloads.length === 0) return undefined;
  const sum = (pick: (one: Workload) => number): number =>
    workloads.reduce((total, one) => total + pick(one as Workload), 0);
  return {
    ready: sum(({ status }) => status?.readyReplicas ?? 0),
    desired: sum(({ spec }) => spec?.replicas ?? 1),
  };
}
