import { classAnnotation } from "../../accelerators/index.ts";
import type { InferenceService } from "../../kinds/inference-service.ts";
import {
  checkNamedRuntime,
  type RuntimeSelection,
  type SelectionRequest,
  selectRuntime,
} from "../../selection/index.ts";

/** The runtime for a service: the one that it names, else the best of those there are. */
export function selectForService(
  service: InferenceService,
  { model, candidates, current }: Pick<SelectionRequest, "model" | "candidates" | "current">,
): RuntimeSelection {
  const { spec, metadata } = service;
  const request: SelectionRequest = {
    model,
    namespace: metadata.namespace ?? "",
    candidates,
    acceleratorClasses: acceleratorClassesOf(service),
    protocol: spec.predictor?.model?.protocolVersion,
    current,
  };
  const named = spec.runtime?.name;
  if (!named) return selectRuntime(request);
  // Like the kind of a model: the default also finds a runtime of the namespace, which comes first.
  const scope = spec.runtime?.kind === "ServingRuntime" ? "namespace" : "any";
  return checkNamedRuntime({ name: named, scope }, request);
}

/** Every class that a service names, for one component or all. */
export function acceleratorClassesOf({ metadata, spec }: InferenceService): string[] {
  const all = [
    metadata.annotations?.[classAnnotation],
    spec.acceleratorSelector?.acceleratorClass,
    spec.engine?.acceleratorOverride?.acceleratorClass,
    spec.decoder?.acceleratorOverride?.acceleratorClass,
  ];
  return [...new Set(all.filter((name): name is string => name !== undefined && name !== ""))];
}
