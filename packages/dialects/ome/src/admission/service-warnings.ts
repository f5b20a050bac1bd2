import type { AdmissionRequest } from "@trivium/reconcile";
import { deepEqual } from "@trivium/std";
import { componentNames } from "../inference-service/roles/component.ts";
import { isPredictorUsed, withoutPredictor } from "../inference-service/roles/predictor.ts";
import { selectForService } from "../inference-service/selection/select-for-service.ts";
import { ingressFaultOf } from "../inference-service/traffic/index.ts";
import type { InferenceService } from "../kinds/inference-service.ts";
import { deploymentModeAnnotation } from "../names.ts";
import type { OmeOptions } from "../options.ts";
import type { ServiceContext } from "./observed-service.ts";

/** What whoever writes a service should know. Things that are missing may come later, so none of it keeps the service out. */
export function warningsOfService(
  { object, old }: AdmissionRequest<InferenceService>,
  observed: ServiceContext,
  options: OmeOptions,
): string[] {
  const service = withoutPredictor(object);
  const before = old === undefined ? undefined : withoutPredictor(old);
  const isChosenAnew = before === undefined || !deepEqual(choiceOf(before), choiceOf(service));
  const configuration = observed.configuration.is === "known" ? observed.configuration.value : undefined;
  const ingress = ingressFaultOf(service, configuration, options);
  return [
    ...(isChosenAnew ? warningsOfChoice(service, observed) : []),
    ...warningsOfWords(object),
    ...warningsOfReplicas(service),
    ...warningsOfAccelerators(object, observed.missingClasses),
    ...observed.missingWeights.map(
      (name) => `FineTunedWeight ${name} not found; the service waits until it is created`,
    ),
    ...(ingress === undefined ? [] : [`no route will be created: ${ingress}`]),
  ];
}

/** What decides about the runtime. */
const choiceOf = ({ spec }: InferenceService) => [spec.model, spec.runtime, spec.acceleratorSelector];

function warningsOfChoice(service: InferenceService, { model, runtimes }: ServiceContext): string[] {
  const { spec } = service;
  const name = spec.model?.name;
  if (!name || model.is === "pending" || model.is === "unreachable") return [];
  if (model.is === "absent") return [`model ${name} not found; the service waits until it is created`];
  const { traits, isDisabled, state } = model.value;
  if (isDisabled) return [`model ${name} is disabled; the service cannot start until it is enabled`];
  const named = spec.runtime?.name;
  const selection = selectForService(service, { model: { name, traits }, candidates: runtimes });
  if (selection.is === "selected")
    return named ? [] : [`Runtime ${selection.runtime.name} will be auto-selected for model ${name}`];
  // Applied together with its model, which the nodes inspect next: there is nothing to warn of.
  if (selection.fault === "ModelInvalid" && state !== "Ready" && state !== "Failed") return [];
  return [state === "Ready" ? selection.message : `model ${name} is not ready yet; currently: ${selection.message}`];
}

const modes = ["RawDeployment", "Serverless", "MultiNode", "MultiNodeRayVLLM", "PDDisaggregated", "VirtualDeployment"];

function warningsOfWords({ metadata, spec }: InferenceService): string[] {
  const annotations = metadata.annotations ?? {};
  const mode = annotations[deploymentModeAnnotation];
  const type = annotations["ome.io/service-type"];
  const keda = [spec.kedaConfig, ...componentNames.map((name) => spec[name]?.kedaConfig)];
  return [
    ...(isPredictorUsed(spec.predictor)
      ? ["spec.predictor is deprecated; use spec.engine, spec.model and spec.runtime"]
      : []),
    ...(mode === undefined || modes.includes(mode)
      ? []
      : [`${deploymentModeAnnotation}: ${mode} is not a valid deployment mode and is ignored`]),
    ...(type === undefined || ["ClusterIP", "NodePort", "LoadBalancer"].includes(type)
      ? []
      : [`ome.io/service-type: ${type} is not a valid Service type; ClusterIP is used`]),
    ...(keda.some((one) => one?.authModes && one.authenticationRef === undefined)
      ? ["kedaConfig.authModes has no effect without authenticationRef"]
      : []),
  ];
}

/** Classes can be created later; constraints choose among classes, which only a policy does. */
function warningsOfAccelerators({ spec }: InferenceService, missing: readonly string[]): string[] {
  const { acceleratorSelector: selector, engine, decoder } = spec;
  const parts = [
    ["spec.acceleratorSelector", selector, [selector, engine?.acceleratorOverride, decoder?.acceleratorOverride]],
    ["spec.engine.acceleratorOverride", engine?.acceleratorOverride, [selector, engine?.acceleratorOverride]],
    ["spec.decoder.acceleratorOverride", decoder?.acceleratorOverride, [selector, decoder?.acceleratorOverride]],
  ] as const;
  return [
    ...missing.map(
      (name) => `AcceleratorClass ${name} not found; only the overrides of the runtime apply until it is created`,
    ),
    ...parts
      .filter(([, part, all]) => part?.constraints && all.every((one) => one?.policy === undefined))
      .map(([place]) => `${place}.constraints has no effect without a policy; set ${place}.policy`),
  ];
}

function warningsOfReplicas({ spec }: InferenceService): string[] {
  return componentNames.flatMap((name) => {
    const { minReplicas, maxReplicas } = spec[name] ?? {};
    if (minReplicas === undefined || maxReplicas === undefined || maxReplicas >= minReplicas) return [];
    return [`spec.${name}.maxReplicas ${maxReplicas} is less than minReplicas ${minReplicas}; ${minReplicas} is used`];
  });
}
