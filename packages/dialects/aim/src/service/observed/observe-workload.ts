import { isServed, lastWarning, type WarningReport } from "@trivium/domain";
import { observeTemplate, refusedPods, sanitizeOutput } from "@trivium/engines";
import {
  Deployment,
  findCondition,
  HorizontalPodAutoscaler,
  type Kind,
  KServeInferenceService,
  OpenTelemetryCollector,
  ScaledObject,
} from "@trivium/kube";
import { tolerate } from "@trivium/reconcile";
import { type Fact, formatTime, known, parseTime } from "@trivium/std";
import type { AimOptions } from "../../options.ts";
import { templateAnnotation } from "../names/labels.ts";
import { addressNameOf, kedaAutoscalerOf, type Service, scaledNameOf, workloadNameOf } from "../names/names.ts";
import { isScaled, type ReplicaPlan } from "../roles/replicas.ts";
import { ownersOf } from "./observe-models.ts";
import type {
  ObservedAutoscaler,
  ObservedDeployment,
  ObservedInferenceService,
  ObservedScaling,
  ObservedService,
} from "./observed-service.ts";
import type { ServiceReader } from "./reads.ts";

type ObservedWorkload = Pick<ObservedService, "kserve" | "inferenceService" | "warning" | "deployment" | "scaling">;

/** What runs the pods, and who says how many there are. */
export function observeWorkload(
  service: Service,
  reader: ServiceReader,
  { backend, replicas }: { readonly backend: AimOptions["backend"]; readonly replicas: ReplicaPlan },
): ObservedWorkload {
  const { namespace, uid } = service.metadata;
  const { group, kind } = KServeInferenceService;
  const served = backend === "deployment" ? known(false) : reader.ask(isServed, { group, kind });
  const made = reader.get(KServeInferenceService, { namespace, name: workloadNameOf(service) });
  const deployment = reader.get(Deployment, { namespace, name: addressNameOf(service) });
  // What was begun without KServe is not taken down because somebody installs it.
  const isOurs = deployment.is === "known" && ownersOf(deployment.value).some((owner) => owner.uid === uid);
  const kserve = isOurs && made.is === "absent" ? known(false) : served;
  const inferenceService = mapFact(made, observedInferenceService);
  const isUnready = inferenceService.is === "known" && !inferenceService.value.isReady;
  const warning = made.is === "known" && isUnready ? warningOf(made.value, reader) : undefined;
  const scaling = observeScaling(service, reader, { kserve, replicas });
  return {
    kserve,
    inferenceService,
    ...(warning === undefined ? {} : { warning: tolerate(warning) }),
    deployment: mapFact(deployment, observedDeployment),
    ...(scaling === undefined ? {} : { scaling }),
  };
}

export function mapFact<T, R>(fact: Fact<T>, read: (value: T) => R): Fact<R> {
  return fact.is === "known" ? known(read(fact.value)) : fact;
}

function observedInferenceService({ metadata, spec, status }: KServeInferenceService): ObservedInferenceService {
  const { conditions = [], observedGeneration = metadata.generation, modelStatus, address, url } = status ?? {};
  const ready = findCondition(conditions, "Ready");
  const cause = conditions.find((one) => one.status === "False" && one.type !== "Ready" && one.message) ?? ready;
  const failure = modelStatus?.lastFailureInfo;
  const at = address?.url ?? url;
  const nodes = spec.predictor.affinity?.nodeAffinity;
  return {
    // What it says of an older spec is no news of this one.
    isReady: ready?.status === "True" && observedGeneration === metadata.generation,
    ...(cause?.message ? { message: sanitizeOutput(cause.message) } : {}),
    ...(failure === undefined ? {} : { failure: sanitizeOutput(failure.message ?? failure.reason) }),
    ...(at ? { url: at } : {}),
    ...(nodes === undefined ? {} : { nodes }),
  };
}

/** Told about it before it was last well, or well before it was last said to be not, is an old story. */
function warningOf({ kind, metadata, status }: KServeInferenceService, reader: ServiceReader): Fact<WarningReport> {
  const { namespace = "", name = "", uid = "" } = metadata;
  const ready = findCondition(status?.conditions, "Ready");
  const changed = parseTime(ready?.lastTransitionTime ?? "");
  const since = changed === undefined ? undefined : formatTime(ready?.status === "True" ? changed : changed - minute);
  return reader.ask(lastWarning, { namespace, kind, name, uid, ...(since === undefined ? {} : { since }) });
}
const minute = 60_000;

function observedDeployment(deployment: Deployment): ObservedDeployment {
  const { spec, status } = deployment;
  const refused = refusedPods(status?.conditions);
  const template = spec?.template.metadata?.annotations?.[templateAnnotation];
  const nodes = spec?.template.spec?.affinity?.nodeAffinity;
  return {
    replicas: spec?.replicas ?? 1,
    ...observeTemplate(deployment, template),
    ...(nodes === undefined ? {} : { nodes }),
    ...(refused === undefined ? {} : { refused }),
  };
}

/** Looked at only where something scales the service: KServe by itself, or what we make where there is none. */
function observeScaling(
  service: Service,
  reader: ServiceReader,
  { kserve, replicas: plan }: { readonly kserve: Fact<boolean>; readonly replicas: ReplicaPlan },
): ObservedScaling | undefined {
  if (!isScaled(plan) || kserve.is !== "known") return undefined;
  const { namespace } = service.metadata;
  const address = addressNameOf(service);
  const autoscalerAt = (name: string) => reader.get(HorizontalPodAutoscaler, { namespace, name });
  const isOurs = !kserve.value;
  if (plan.scaler === "hpa" || (isOurs && plan.metrics.length === 0))
    return { autoscaler: mapFact(autoscalerAt(address), observedAutoscaler) };
  const served = isOurs ? servedFor(reader) : {};
  const { keda } = served;
  const byKeda = !isOurs || (keda?.is === "known" && keda.value);
  if (!byKeda) return { ...served, autoscaler: mapFact(autoscalerAt(address), observedAutoscaler) };
  const name = isOurs ? scaledNameOf(service) : address;
  const scaled = reader.get(ScaledObject, { namespace, name });
  const problem = scaled.is === "known" ? scaledProblem(scaled.value) : undefined;
  return {
    ...served,
    autoscaler: mapFact(autoscalerAt(kedaAutoscalerOf(name)), observedAutoscaler),
    ...(isOurs && autoscalerAt(address).is === "known" ? { hasFormer: true } : {}),
    ...(problem === undefined ? {} : { problem }),
  };
}

function servedFor(reader: ServiceReader): Partial<Pick<ObservedScaling, "keda" | "collector">> {
  const served = ({ group, kind }: Kind) => reader.ask(isServed, { group, kind });
  return { keda: served(ScaledObject), collector: served(OpenTelemetryCollector) };
}

function scaledProblem({ status }: ScaledObject): string | undefined {
  const ready = findCondition(status?.conditions, "Ready");
  return ready?.status === "False" ? sanitizeOutput(ready.message ?? ready.reason) : undefined;
}

function observedAutoscaler({ metadata, status }: HorizontalPodAutoscaler): ObservedAutoscaler {
  const { conditions, currentReplicas = 0, desiredReplicas = 0 } = status ?? {};
  const reported = (type: string) => {
    const one = findCondition(conditions, type);
    if (one === undefined) return "unknown";
    return one.status === "True" ? "well" : { reason: one.reason ?? "", message: sanitizeOutput(one.message) };
  };
  return {
    name: metadata.name ?? "",
    current: currentReplicas,
    desired: desiredReplicas,
    scales: reported("AbleToScale"),
    measures: reported("ScalingActive"),
  };
}
