import { ConfigMap, type Kind } from "@trivium/kube";
import type { AdmissionRequest, Reader } from "@trivium/reconcile";
import { absent, type Fact, known } from "@trivium/std";
import { type Configuration, observeConfiguration } from "../configuration/index.ts";
import { observeRuntimes } from "../inference-service/observed/runtimes.ts";
import { withoutPredictor } from "../inference-service/roles/predictor.ts";
import { acceleratorClassesOf } from "../inference-service/selection/select-for-service.ts";
import { AcceleratorClass } from "../kinds/accelerator-class.ts";
import { BaseModel, ClusterBaseModel } from "../kinds/base-model.ts";
import { FineTunedWeight } from "../kinds/fine-tuned-weight.ts";
import type { InferenceService } from "../kinds/inference-service.ts";
import { ClusterServingRuntime, ServingRuntime } from "../kinds/serving-runtime.ts";
import type { OmeOptions } from "../options.ts";
import type { Candidate, ModelTraits } from "../selection/index.ts";

export const serviceContext = [
  ConfigMap,
  BaseModel,
  ClusterBaseModel,
  FineTunedWeight,
  ServingRuntime,
  ClusterServingRuntime,
  AcceleratorClass,
] as const satisfies readonly Kind[];
type ContextReader = Reader<(typeof serviceContext)[number]>;

/** What of the rest of the world is told to somebody who writes a service. */
export interface ServiceContext {
  readonly configuration: Fact<Configuration>;
  readonly model: Fact<{
    readonly traits: ModelTraits;
    readonly isDisabled: boolean;
    readonly state?: string | undefined;
  }>;
  readonly runtimes: readonly Candidate[];
  /** Weights that the service names and nobody has made. */
  readonly missingWeights: readonly string[];
  /** Accelerator classes that the service names and that do not exist. */
  readonly missingClasses: readonly string[];
}

export function observeContext(
  { object }: AdmissionRequest<InferenceService>,
  reader: ContextReader,
  options: OmeOptions,
): ServiceContext {
  const service = withoutPredictor(object);
  const { spec } = service;
  const weights = spec.model?.fineTunedWeights ?? [];
  return {
    configuration: observeConfiguration(reader, options),
    model: observeModel(object, reader),
    runtimes: observeRuntimes(service, reader).runtimes,
    missingClasses: acceleratorClassesOf(service).filter(
      (name) => reader.get(AcceleratorClass, { name }).is === "absent",
    ),
    missingWeights: weights.filter((name) => reader.get(FineTunedWeight, { name }).is === "absent"),
  };
}

function observeModel(service: InferenceService, reader: ContextReader): ServiceContext["model"] {
  const { metadata, spec } = withoutPredictor(service);
  const name = spec.model?.name;
  if (!name) return absent;
  const twin = spec.model?.kind === "BaseModel" ? [BaseModel] : [BaseModel, ClusterBaseModel];
  const found = reader.nearest(twin, { namespace: metadata.namespace, name });
  if (found.is !== "known") return found;
  const { spec: traits, status } = found.value;
  return known({ traits, isDisabled: traits.disabled === true, state: status?.state });
}
