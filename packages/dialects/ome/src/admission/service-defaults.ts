import type { AdmissionRequest } from "@trivium/reconcile";
import type { Configuration } from "../configuration/index.ts";
import { isPredictorUsed, withoutPredictor } from "../inference-service/roles/predictor.ts";
import type { InferenceService } from "../kinds/inference-service.ts";
import { deploymentModeAnnotation } from "../names.ts";
import type { OmeOptions } from "../options.ts";

const deprecationAnnotation = "ome.io/deprecation-warning";
const deprecation = "spec.predictor is deprecated; use spec.engine, spec.model and spec.runtime instead";

/**
 * What a service says of itself when its author does not: in which shape it runs, and that the older form is one. Numbers of replicas are not
 * filled in: written here they would win over those of the runtime.
 */
export function fillService(
  { object, old }: AdmissionRequest<InferenceService>,
  configuration: Configuration | undefined,
  { predictor }: Pick<OmeOptions, "predictor">,
): InferenceService {
  const modern = predictor === "rewrite" ? rewritten(object) : object;
  const added = {
    ...modeOf(modern, old, configuration),
    ...(isPredictorUsed(object.spec.predictor) ? deprecationOf(object) : {}),
  };
  if (Object.keys(added).length === 0) return modern;
  return { ...modern, metadata: { ...modern.metadata, annotations: { ...modern.metadata.annotations, ...added } } };
}

/** The older form put into the newer one for good, unless it says something that the newer one has no field for. */
function rewritten(service: InferenceService): InferenceService {
  const { predictor } = service.spec;
  if (!isPredictorUsed(predictor) || predictor?.model?.runtimeVersion) return service;
  const { predictor: _, ...spec } = withoutPredictor(service).spec;
  return { ...service, spec };
}

type Added = Record<string, string>;

/** A mode that was filled in before follows the shape; one that somebody wrote stays. */
function modeOf(
  object: InferenceService,
  old: InferenceService | undefined,
  configuration: Configuration | undefined,
): Added {
  const written = object.metadata.annotations?.[deploymentModeAnnotation];
  const mode = defaultMode(object, configuration);
  if (mode === undefined || mode === written) return {};
  const isOurs =
    old !== undefined &&
    written === old.metadata.annotations?.[deploymentModeAnnotation] &&
    written === defaultMode(old, configuration);
  return written === undefined || isOurs ? { [deploymentModeAnnotation]: mode } : {};
}

function defaultMode(service: InferenceService, configuration: Configuration | undefined): string | undefined {
  const { engine, decoder } = withoutPredictor(service).spec;
  if (engine !== undefined && decoder !== undefined) return "PDDisaggregated";
  if (engine?.leader !== undefined && (engine.worker?.size ?? 0) > 0) return "MultiNode";
  return (configuration?.deploy?.defaultMode ?? "RawDeployment") === "RawDeployment" ? "RawDeployment" : undefined;
}

const deprecationOf = ({ metadata }: InferenceService): Added =>
  metadata.annotations?.[deprecationAnnotation] === undefined ? { [deprecationAnnotation]: deprecation } : {};
