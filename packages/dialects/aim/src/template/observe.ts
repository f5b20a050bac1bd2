import { type Failure, isServed, logOnce } from "@trivium/domain";
import {
  diagnose,
  findFailure,
  formatDiagnosis,
  maxOffered,
  nodeHardware,
  type ObservedGpu,
  observePod,
  observeQuotas,
  observeRefusedPods,
  podReads,
  summarizeGpus,
} from "@trivium/engines";
import {
  type api,
  controllerOf,
  findCondition,
  Job,
  type Kind,
  KServeClusterServingRuntime,
  KServeServingRuntime,
  Namespace,
  Node,
  Pod,
  ResourceQuota,
} from "@trivium/kube";
import { type Reader, type Tolerated, tolerate } from "@trivium/reconcile";
import { type Fact, known, parseTime } from "@trivium/std";
import { catalogPaths } from "../field-paths.ts";
import { asksByCountAlone, hardwareRequestOf } from "../hardware/hardware-request.ts";
import { AIMClusterImage, AIMClusterModel, AIMImage, AIMModel } from "../kinds/model.ts";
import { AIMTemplateCache } from "../kinds/template-cache.ts";
import type { Model, Template } from "../objects.ts";
import type { AimOptions } from "../options.ts";
import {
  type ObservedRuntimeConfig,
  observeRuntimeConfig,
  runtimeConfigKinds,
} from "../runtime-config/settings/resolve.ts";
import { discoveryContainer, type ModelFacts } from "./discovery/discovery-job.ts";

/** One of the two kinds of templates. */
export interface TemplateScope {
  readonly name: string;
  readonly kind: Kind<Template>;
  /** Where a model of that name is looked for, in this order. */
  readonly models: readonly Kind<Model>[];
  readonly runtimes: Kind<KServeServingRuntime> | Kind<KServeClusterServingRuntime>;
}

export const clusterModelKinds: readonly Kind<Model>[] = [AIMClusterModel, AIMClusterImage];
export const modelKinds: readonly Kind<Model>[] = [AIMModel, AIMImage, ...clusterModelKinds];

export interface ObservedTemplate {
  readonly config: ObservedRuntimeConfig;
  readonly model: Fact<ModelFacts>;
  readonly gpus: readonly ObservedGpu[];
  /** How many GPUs the best node has; looked at only where any will do. */
  readonly offered?: number;
  readonly jobs: readonly ObservedJob[];
  /** Whether the API knows ServingRuntimes. */
  readonly servesRuntimes: Tolerated<boolean>;
  readonly cache?: Fact<ObservedCache>;
  /** The namespace of the operator, where Jobs of cluster-wide templates run. */
  readonly home?: Fact<true>;
  /** What its Job must state for the quotas of the namespace. */
  readonly jobResources?: api.ResourceRequirements;
}

export interface ObservedCache {
  readonly uid: string;
  readonly state: string;
  readonly isOwn: boolean;
}

export type ObservedJob = { readonly name: string; readonly uid: string } & (
  | { readonly is: "active"; readonly failure?: Failure }
  | { readonly is: "complete"; readonly endedAt: number; readonly log: Tolerated<string> }
  | { readonly is: "failed"; readonly endedAt: number; readonly why: string }
);

export const templateReads = [
  ...runtimeConfigKinds,
  ...modelKinds,
  Namespace,
  Pod,
  ResourceQuota,
  ...podReads,
] as const;
/** A dry run prints one list. */
const maxLines = 4_000;

export function observeTemplate(
  template: Template,
  reader: Reader,
  { scope, options }: { scope: TemplateScope; options: AimOptions },
): ObservedTemplate {
  const { namespace, uid = "" } = template.metadata;
  const home = namespace ?? options.operatorNamespace;
  const { runtimes } = scope;
  const jobResources = observeQuotas(home, reader);
  return {
    config: observeRuntimeConfig(reader, { name: template.spec.runtimeConfigName, namespace: home }),
    model: factsOf(reader.nearest(scope.models, { namespace, name: modelNameOf(template) })),
    ...observeGpus(template, reader),
    jobs: uid === "" ? [] : reader.list(Job, { owner: uid }).map((job) => observedJob(job, reader)),
    servesRuntimes: tolerate(
      options.backend === "deployment"
        ? known(false)
        : reader.ask(isServed, { group: runtimes.group, kind: runtimes.kind }),
    ),
    ...(wantsCache(template) ? { cache: observedCache(template, reader) } : {}),
    ...(namespace === undefined ? { home: presence(reader.get(Namespace, { name: home })) } : {}),
    ...(jobResources === undefined ? {} : { jobResources }),
  };
}

function observeGpus({ spec }: Template, reader: Reader): Pick<ObservedTemplate, "gpus" | "offered"> {
  const nodes = reader.listParts(Node, {}, nodeHardware);
  const request = hardwareRequestOf(spec);
  return {
    gpus: summarizeGpus(nodes),
    ...(asksByCountAlone(request) ? { offered: maxOffered(nodes, request.resourceName) } : {}),
  };
}

const presence = (fact: Fact<unknown>): Fact<true> => (fact.is === "known" ? known(true) : fact);

export const modelNameOf = ({ spec }: Template): string => spec.modelName ?? spec.aimImageName ?? "";

export const wantsCache = ({ metadata, spec }: Template): boolean =>
  metadata.namespace !== undefined && "caching" in spec && spec.caching?.enabled === true;

function factsOf(fact: Fact<Model>): Fact<ModelFacts> {
  if (fact.is !== "known") return fact;
  const { kind, metadata, spec, status } = fact.value;
  const { name = "", namespace, uid = "" } = metadata;
  const inspected = status?.inspectedImage;
  const digest = inspected?.reference === spec.image ? inspected.digest : undefined;
  return known({
    kind,
    name,
    ...(namespace === undefined ? {} : { namespace }),
    uid,
    image: spec.image,
    ...(digest === undefined ? {} : { digest }),
    imagePullSecrets: spec.imagePullSecrets ?? [],
    ...(spec.serviceAccountName === undefined ? {} : { serviceAccountName: spec.serviceAccountName }),
  });
}

function observedCache({ metadata }: Template, reader: Reader): Fact<ObservedCache> {
  const { namespace, name = "", uid } = metadata;
  const fact = reader.get(AIMTemplateCache, { namespace, name });
  if (fact.is !== "known") return fact;
  const cache = fact.value;
  const isOwn = controllerOf(cache)?.uid === uid;
  return known({ uid: cache.metadata.uid ?? "", state: cache.status?.status ?? "Pending", isOwn });
}

function observedJob(job: Job, reader: Reader): ObservedJob {
  const { name = "", namespace = "", uid = "" } = job.metadata;
  const { conditions, completionTime, startTime } = job.status ?? {};
  const complete = findCondition(conditions, "Complete");
  const failed = findCondition(conditions, "Failed");
  const pods = reader.list(Pod, { namespace, owner: uid });
  if (complete?.status === "True") {
    const endedAt = parseTime(completionTime ?? complete.lastTransitionTime ?? "") ?? 0;
    return { name, uid, is: "complete", endedAt, log: tolerate(logOf(pods, reader)) };
  }
  const observed = pods.map((pod) => observePod(pod, "", reader));
  const failure = findFailure(observed);
  if (failed?.status === "True") {
    const endedAt = parseTime(failed.lastTransitionTime ?? startTime ?? "") ?? 0;
    const why =
      failure === undefined
        ? `${failed.message ?? failed.reason}; check it with kubectl describe job`
        : failureWords(failure);
    return { name, uid, is: "failed", endedAt, why };
  }
  const found = failure ?? observeRefusedPods(job, pods, reader);
  return { name, uid, is: "active", ...(found === undefined ? {} : { failure: found }) };
}

const failureWords = (failure: Failure): string => formatDiagnosis(diagnose(failure, { paths: catalogPaths }));

/** The log of the pod that succeeded; nothing where it is gone. */
function logOf(pods: readonly Pod[], reader: Reader): Fact<string> {
  const done = pods.find(({ status }) => status?.phase === "Succeeded");
  if (done === undefined) return { is: "absent" };
  const { name = "", namespace = "" } = done.metadata;
  return reader.ask(logOnce, { namespace, pod: name, container: discoveryContainer, restarts: 0, lines: maxLines });
}

export const runtimeKinds = { namespaced: KServeServingRuntime, cluster: KServeClusterServingRuntime } as const;
