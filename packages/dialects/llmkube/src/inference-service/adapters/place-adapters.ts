import { findAdapterFault, type RequestedAdapter, servingAnnotations } from "@trivium/engines";
import type { InferenceService } from "../../kinds/inference-service.ts";
import type { Model } from "../../kinds/model.ts";
import type { LlmkubeOptions } from "../../options.ts";
import type { Engine } from "../pod/engines/index.ts";
import { type Blocked, failed } from "../selection/lowered.ts";
import { planStorage, type StoragePlan } from "../weights/storage.ts";

/** An adapter, where the engine finds it, and what the pods need to read it. */
export interface PlacedAdapter {
  readonly name: string;
  readonly path: string;
  readonly storage: StoragePlan;
}

export type PlacedAdapters = { readonly is: "placed"; readonly adapters: readonly PlacedAdapter[] } | Blocked;

interface AdapterInput {
  readonly asked: readonly RequestedAdapter[];
  readonly engine: Engine;
  readonly options: LlmkubeOptions;
}

/** Adapters come to the pods as the weights do: from the same sources, into the same cache. */
export function placeAdapters(service: InferenceService, { asked, engine, options }: AdapterInput): PlacedAdapters {
  // A runtime without adapters ignores them, and the status says so.
  if (engine.adapters === undefined) return { is: "placed", adapters: [] };
  const fault = findAdapterFault(asked, {
    schemes: ["hub", "http", "file", "pvc"],
    expected: "hf://, https://, pvc:// or file:///",
    localRoots: options.localRoots,
  });
  if (fault !== undefined) return failed("InvalidSpec", fault);
  const adapters: PlacedAdapter[] = [];
  for (const [index, { name, source = "" }] of asked.entries()) {
    const model = modelOf(service, { name, source, engine });
    const storage = planStorage({ service, model, engine, options, prefix: `${adapterPrefix}${index}-` });
    if (storage.is === "waiting") return faulty(name, storage.why);
    if (storage.is === "faulty")
      return faulty(
        name,
        storage.reason === "FilesNeeded" ? `it must be one GGUF file; use ${source}/file.gguf` : storage.why,
      );
    adapters.push({ name, path: storage.weights, storage });
  }
  return { is: "placed", adapters };
}

const adapterPrefix = "lora-";

/** Whether a container downloads an adapter, and not the weights. */
export const isAdapterContainer = (name: string | undefined): boolean => name?.startsWith(adapterPrefix) === true;

const faulty = (name: string, why: string): Blocked =>
  failed("InvalidSpec", `Adapter ${name} of annotation ${servingAnnotations.adapters} cannot be used: ${why}`);

interface AdapterSource {
  readonly name: string;
  readonly source: string;
  readonly engine: Engine;
}

/** What would download it if it were a Model. */
function modelOf({ apiVersion, metadata }: InferenceService, { name, source, engine }: AdapterSource): Model {
  const { namespace } = metadata;
  const format = engine.takes === "file" ? "gguf" : "safetensors";
  return {
    apiVersion,
    kind: "Model",
    metadata: { name, ...(namespace === undefined ? {} : { namespace }) },
    spec: { source, format },
  };
}
