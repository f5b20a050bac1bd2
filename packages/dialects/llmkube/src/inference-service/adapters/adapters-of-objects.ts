import type { ServingAnnotations } from "@trivium/engines";
import type { RequestedObject } from "../../adapters/adapter-objects.ts";
import { loadedObjects } from "../../adapters/judge-object.ts";
import type { InferenceService } from "../../kinds/inference-service.ts";
import type { ObservedService } from "../observe.ts";
import type { Engine } from "../pod/engines/index.ts";

interface AdapterInput {
  readonly asked: ServingAnnotations;
  readonly engine: Engine;
  readonly observed: ObservedService;
}

/** The adapters that LoRAAdapters add to those of the annotation. They lie on volumes of the service already. */
export const adaptersOfObjects = (
  { spec }: InferenceService,
  { asked, engine, observed }: AdapterInput,
): RequestedObject[] =>
  loadedObjects({
    runtime: spec.runtime ?? "llamacpp",
    engine,
    own: asked.adapters.map(({ name }) => name),
    objects: observed.adapters ?? [],
  });
