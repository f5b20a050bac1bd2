import { type Failure, type ObservedPod, type RunSummary, servedModels } from "@trivium/domain";
import { observePod, observeRefusedPods, parseRunSummary, podReads } from "@trivium/engines";
import {
  type api,
  ConfigMap,
  Deployment,
  findCondition,
  isOwnedBy,
  Job,
  type Kind,
  PersistentVolumeClaim,
  Pod,
} from "@trivium/kube";
import type { Reader } from "@trivium/reconcile";
import { absent, type Fact, known } from "@trivium/std";
import { objectNameOf } from "../inference-service/names/labels.ts";
import { BaseModel, ClusterBaseModel } from "../kinds/base-model.ts";
import { InferenceService } from "../kinds/inference-service.ts";
import { componentLabel, labelValueOf, mainContainer, serviceLabel, templateAnnotation } from "../names.ts";
import type { OmeOptions } from "../options.ts";
import { type ModelPlace, placeOf } from "../storage/place.ts";
import { jobNameOf } from "./names/job-name.ts";
import type { BenchmarkJob } from "./pod/check-spec.ts";
import { type BenchmarkConfiguration, configurationName, readConfiguration } from "./pod/configuration.ts";
import { planOutput } from "./pod/output.ts";
import { mayRunElsewhere } from "./status/details.ts";

/** How the Job that measures stands. */
export interface ObservedJob {
  readonly startTime?: string | undefined;
  readonly ended?:
    | { readonly how: "complete" | "failed"; readonly at?: string | undefined; readonly message: string }
    | undefined;
}

/** The service under measurement. */
export interface MeasuredService {
  readonly isReady: boolean;
  /** Why it is not ready, in its own words. */
  readonly why: string;
  /** Nothing of it runs until a request comes to the gateway, and those of a benchmark do not come there. */
  readonly isAsleep?: true;
  readonly url?: string | undefined;
  readonly protocol?: string | undefined;
  readonly servedName?: string | undefined;
  readonly model: Fact<MeasuredModel>;
}

export interface MeasuredModel {
  readonly name: string;
  readonly scope: "namespace" | "cluster";
  readonly place: ModelPlace;
}

export interface ObservedBenchmark {
  readonly job: Fact<ObservedJob>;
  /** The name of the Job, where another operator of this API has created it. */
  readonly jobName?: string;
  readonly pods: readonly ObservedPod[];
  /** Why the Job cannot create its pod, where it reports that. */
  readonly refused?: Failure;
  /** What the load generator reported at its end. */
  readonly summary?: RunSummary | undefined;
  readonly service?: Fact<MeasuredService>;
  /** The names that the server lists itself, where nobody else says one. */
  readonly served?: Fact<readonly string[]>;
  /** Whether the claim for the results is there. */
  readonly claim?: Fact<true>;
  /** What the administrator wants of all benchmarks. */
  readonly configuration?: Fact<BenchmarkConfiguration>;
}

export const benchmarkReads = [
  Pod,
  Deployment,
  ConfigMap,
  ...podReads,
  InferenceService,
  BaseModel,
  ClusterBaseModel,
] as const satisfies readonly Kind[];
type BenchmarkReader = Reader<(typeof benchmarkReads)[number] | typeof Job>;

export function observeBenchmark(
  object: BenchmarkJob,
  reader: BenchmarkReader,
  options: OmeOptions,
): ObservedBenchmark {
  const { namespace } = object.metadata;
  const { name, found } = findJob(object, reader);
  const job = observeJob(found);
  const pods = reader.list(Pod, { namespace, labels: { "batch.kubernetes.io/job-name": name } });
  const summary = parseRunSummary(pods);
  const output = planOutput(object);
  const claim = output.is === "planned" ? output.claim : undefined;
  const isUnderway = job.is === "known" && job.value.ended === undefined;
  const refused = found.is === "known" && isUnderway ? observeRefusedPods(found.value, pods, reader) : undefined;
  return {
    job,
    ...(name === jobNameOf(object) ? {} : { jobName: name }),
    pods: pods.map((pod) => observePod(pod, templateAnnotation, reader)).sort((a, b) => (a.name < b.name ? -1 : 1)),
    ...(refused === undefined ? {} : { refused }),
    ...(summary === undefined ? {} : { summary }),
    // What was started with stays: nothing else is looked at any more.
    ...(job.is === "known"
      ? {}
      : { ...observeTarget(object, reader, options), ...observeConfiguration(reader, options) }),
    ...(claim === undefined
      ? {}
      : { claim: observeClaim(reader.get(PersistentVolumeClaim, { namespace, name: claim })) }),
  };
}

/** Another operator names the Job after the benchmark; what it has run or still runs is not run again. */
function findJob(object: BenchmarkJob, reader: BenchmarkReader): { readonly name: string; readonly found: Fact<Job> } {
  const { namespace, name: other = "" } = object.metadata;
  const name = jobNameOf(object);
  const own = reader.get(Job, { namespace, name });
  if (own.is !== "absent" || !mayRunElsewhere(object)) return { name, found: own };
  const found = reader.get(Job, { namespace, name: other });
  const isOther = found.is === "known" && !isOwnedBy(found.value, object);
  return found.is === "absent" || isOther ? { name, found: own } : { name: other, found };
}

function observeConfiguration(
  reader: BenchmarkReader,
  { namespace }: OmeOptions,
): Pick<ObservedBenchmark, "configuration"> {
  const found = reader.get(ConfigMap, { namespace, name: configurationName });
  if (found.is === "absent") return {};
  return { configuration: found.is === "known" ? known(readConfiguration(found.value.data ?? {})) : found };
}

const observeClaim = (claim: Fact<unknown>): Fact<true> => (claim.is === "known" ? known(true) : claim);

function observeJob(job: Fact<Job>): Fact<ObservedJob> {
  if (job.is !== "known") return job;
  const { startTime, completionTime, conditions } = job.value.status ?? {};
  const failed = findCondition(conditions, "Failed");
  const complete = findCondition(conditions, "Complete");
  const ended =
    failed?.status === "True"
      ? ({ how: "failed", at: failed.lastTransitionTime, message: failed.message ?? "" } as const)
      : complete?.status === "True" || completionTime !== undefined
        ? ({ how: "complete", at: completionTime ?? complete?.lastTransitionTime, message: "" } as const)
        : undefined;
  return known({ ...(startTime === undefined ? {} : { startTime }), ...(ended === undefined ? {} : { ended }) });
}

function observeTarget(
  { spec }: BenchmarkJob,
  reader: BenchmarkReader,
  options: OmeOptions,
): Pick<ObservedBenchmark, "service" | "served"> {
  const { inferenceService: wanted, endpoint } = spec.endpoint;
  if (endpoint !== undefined)
    return endpoint.modelName ? {} : { served: reader.ask(servedModels, { url: endpoint.url }) };
  if (wanted === undefined) return {};
  const found = reader.get(InferenceService, wanted);
  if (found.is !== "known") return { service: found };
  const service = measuredService(found.value, reader, options);
  if (!service.isReady || service.servedName !== undefined) return { service: known(service) };
  const address = engineAddress(found.value, reader);
  return {
    service: known(service),
    served: address === undefined ? absent : reader.ask(servedModels, { url: address }),
  };
}

function measuredService(service: InferenceService, reader: BenchmarkReader, options: OmeOptions): MeasuredService {
  const ready = findCondition(service.status?.conditions, "Ready");
  const isReady = ready?.status === "True";
  const url = service.status?.url;
  const container = engineContainer(service, reader);
  const protocol = service.spec.predictor?.model?.protocolVersion ?? variableOf(container, "PROTOCOL_VERSION");
  const servedName = servedNameOf(container);
  return {
    isReady,
    why: isReady ? "" : (ready?.message ?? "it has not reported its status yet"),
    ...(findCondition(service.status?.conditions, "EngineReady")?.reason === "Idle" ? { isAsleep: true } : {}),
    ...(url === undefined ? {} : { url }),
    ...(protocol === undefined ? {} : { protocol }),
    ...(servedName === undefined ? {} : { servedName }),
    model: observeModel(service, reader, options),
  };
}

function observeModel(
  { metadata, spec }: InferenceService,
  reader: BenchmarkReader,
  options: OmeOptions,
): Fact<MeasuredModel> {
  const name = spec.model?.name ?? spec.predictor?.model?.baseModel;
  if (!name) return absent;
  const twin = spec.model?.kind === "BaseModel" ? [BaseModel] : [BaseModel, ClusterBaseModel];
  const found = reader.nearest(twin, { namespace: metadata.namespace, name });
  if (found.is !== "known") return found;
  const scope = found.value.metadata.namespace === undefined ? "cluster" : "namespace";
  return known({ name, scope, place: placeOf(found.value, options) });
}

/** The container that serves, as runtime and service together made it. */
function engineContainer(service: InferenceService, reader: BenchmarkReader): api.Container | undefined {
  const ref = { namespace: service.metadata.namespace, name: objectNameOf(service, "engine") };
  const found = reader.get(Deployment, ref);
  if (found.is !== "known") return service.spec.engine?.runner;
  const containers = found.value.spec?.template?.spec?.containers ?? [];
  return containers.find(({ name }) => name === mainContainer) ?? containers[0];
}

/** What the engine is told to call its model. */
function servedNameOf(container: api.Container | undefined): string | undefined {
  const words = [...(container?.command ?? []), ...(container?.args ?? [])].flatMap((text) => text.split(/[\s=]+/));
  const at = words.findIndex((word) => word === "--served-model-name" || word === "--alias");
  const reported = at === -1 ? undefined : words[at + 1];
  return reported && !reported.includes("$") ? reported : variableOf(container, "SERVED_MODEL_NAME");
}

const variableOf = (container: api.Container | undefined, wanted: string): string | undefined =>
  container?.env?.find(({ name }) => name === wanted)?.value || undefined;

/** A ready pod of the engine, by its own address: names of Services mean nothing outside the cluster. */
function engineAddress({ metadata }: InferenceService, reader: BenchmarkReader): string | undefined {
  const labels = { [serviceLabel]: labelValueOf(metadata.name ?? ""), [componentLabel]: "engine" };
  const ready = reader
    .list(Pod, { namespace: metadata.namespace, labels })
    .filter(({ status }) => findCondition(status?.conditions, "Ready")?.status === "True" && status?.podIP)
    .sort((a, b) => ((a.metadata.name ?? "") < (b.metadata.name ?? "") ? -1 : 1))[0];
  const port = ready?.spec?.containers.flatMap(({ ports }) => ports ?? [])[0]?.containerPort ?? 8080;
  return ready === undefined ? undefined : `http://${ready.status?.podIP}:${port}`;
}
