import type { Engine } from "../inference-service/pod/engines/index.ts";
import type { RequestedObject } from "./adapter-objects.ts";

/** Why a LoRAAdapter is not loaded: the reason of its condition, and what to do. */
export interface AdapterFault {
  readonly reason: "RuntimeUnsupported" | "NameTaken" | "InvalidPath";
  readonly message: string;
}

interface ServiceAdapters {
  readonly runtime: string;
  readonly engine: Pick<Engine, "adapters" | "takes"> | undefined;
  /** Adapters that the service itself names. */
  readonly own: readonly string[];
  readonly objects: readonly RequestedObject[];
}

/** Whether the service loads the adapter of an object. The same answer for the service and for the object. */
export function judgeObject(one: RequestedObject, service: ServiceAdapters): AdapterFault | undefined {
  const { runtime, engine, own, objects } = service;
  if (engine?.adapters === undefined) {
    const message = `Runtime ${runtime} of the InferenceService does not load adapters; set its spec.runtime to vllm, sglang or llamacpp`;
    return { reason: "RuntimeUnsupported", message };
  }
  if (own.includes(one.name)) {
    const message = `The annotation of the service has an adapter named ${one.name}; change spec.name`;
    return { reason: "NameTaken", message };
  }
  const [first] = objects.filter(({ name }) => name === one.name).sort(byObject);
  if (first !== undefined && first.object !== one.object) {
    const message = `LoRAAdapter ${first.object} of the same service is named ${one.name}; change spec.name`;
    return { reason: "NameTaken", message };
  }
  if (engine.takes === "file" && !/\.gguf$/i.test(one.path)) {
    const message = `Runtime ${runtime} loads a GGUF file, and ${one.path} is none; set spec.path to a .gguf file`;
    return { reason: "InvalidPath", message };
  }
  return undefined;
}

/** The adapters that a service loads for objects, in the order of their names. */
export const loadedObjects = (service: ServiceAdapters): RequestedObject[] =>
  service.objects.filter((one) => judgeObject(one, service) === undefined).sort((a, b) => (a.name < b.name ? -1 : 1));

const byObject = (a: RequestedObject, b: RequestedObject): number => (a.object < b.object ? -1 : 1);
