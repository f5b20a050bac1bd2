import type { api } from "@trivium/kube";
import { once } from "@trivium/std";
import type { InferenceService } from "../../kinds/inference-service.ts";
import { mainContainer } from "../../names.ts";
import type { ComponentSpec } from "./component.ts";

type Spec = InferenceService["spec"];
type Predictor = NonNullable<Spec["predictor"]>;

/**
 * A service in the older form, read as one in the newer: its predictor becomes engine, model and runtime. Whoever has an engine already means
 * that, and the predictor is passed over.
 */
export const withoutPredictor: (service: InferenceService) => InferenceService = once(readPredictor);

function readPredictor(service: InferenceService): InferenceService {
  const { predictor, ...spec } = service.spec;
  if (predictor === undefined) return service;
  if (spec.engine !== undefined || !isPredictorUsed(predictor)) return { ...service, spec };
  const { model } = predictor;
  return {
    ...service,
    spec: {
      ...spec,
      // Its protocol still has a say when a runtime is chosen.
      predictor,
      engine: engineOf(predictor),
      ...(spec.model === undefined && model?.baseModel
        ? { model: modelOf(model.baseModel, model.fineTunedWeights) }
        : {}),
      ...(spec.runtime === undefined && model?.runtime ? { runtime: { name: model.runtime } } : {}),
    },
  };
}

const modelOf = (name: string, fineTunedWeights: string[] | undefined): NonNullable<Spec["model"]> => ({
  name,
  ...(fineTunedWeights === undefined ? {} : { fineTunedWeights }),
});

const usedFields = [
  "minReplicas",
  "maxReplicas",
  "serviceAccountName",
  "containers",
  "volumes",
  "nodeSelector",
  "tolerations",
  "affinity",
  "workerSpec",
] as const;

/** Whether the older form says anything. */
export const isPredictorUsed = (predictor: Predictor | undefined): boolean =>
  predictor !== undefined &&
  (!!predictor.model?.baseModel || usedFields.some((field) => predictor[field] !== undefined));

function engineOf(predictor: Predictor): ComponentSpec {
  const { model, workerSpec, containers = [], ...pod } = predictor;
  const main =
    containers.find(({ name }) => name === mainContainer) ??
    containers.find(({ name }) => /ome/i.test(name)) ??
    containers[0];
  const others = containers.filter((one) => one !== main);
  const runner = runnerOf(main, model);
  return {
    ...pod,
    ...(others.length === 0 ? {} : { containers: others }),
    ...(runner === undefined ? {} : { runner }),
    ...(workerSpec === undefined ? {} : { worker: workerSpec }),
  };
}

/** What of a predictor's model is not a container. */
const modelFields: readonly string[] = [
  "runtime",
  "baseModel",
  "fineTunedWeights",
  "runtimeVersion",
  "storageUri",
  "protocolVersion",
];

/** The container that serves: one of the pod's, else the one that the model's own fields describe. */
function runnerOf(main: api.Container | undefined, model: Predictor["model"]): api.Container | undefined {
  const env = variablesOf(model);
  if (main !== undefined) return env.length === 0 ? main : { ...main, env: [...(main.env ?? []), ...env] };
  if (model === undefined) return undefined;
  const own = Object.entries(model).filter(([key]) => !modelFields.includes(key));
  const { name, ...container } = Object.fromEntries(own) as Partial<api.Container>;
  if (name) return { ...container, name, ...(env.length === 0 ? {} : { env }) };
  // Without a name it only adds to whatever serves.
  return env.length === 0 ? undefined : { name: mainContainer, env };
}

function variablesOf(model: Predictor["model"]): api.EnvVar[] {
  return [
    ...(model?.env ?? []),
    ...(model?.storageUri ? [{ name: "STORAGE_URI", value: model.storageUri }] : []),
    ...(model?.protocolVersion ? [{ name: "PROTOCOL_VERSION", value: model.protocolVersion }] : []),
  ];
}
