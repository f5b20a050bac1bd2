import { type AdapterEngine, findAdapterFault, type ServingAnnotations, servingAnnotations } from "@trivium/engines";
import { type LocalSource, localSourceOf } from "../../model-cache/weights/local-source.ts";
import type { AimOptions } from "../../options.ts";
import type { ObservedTemplate } from "../observed/observed-service.ts";
import { engineOf } from "../selection/template-facts.ts";

/** A LoRA adapter that pods download before they start, and where the engine finds it. */
export interface AdapterPlan {
  readonly name: string;
  readonly source: string;
  readonly path: string;
  /** Where it is on the node, for a file:// source. */
  readonly local?: LocalSource | undefined;
}

export interface AdaptersPlan {
  readonly engine: AdapterEngine;
  readonly adapters: readonly AdapterPlan[];
  /** Why the service cannot run with them. */
  readonly fault?: string | undefined;
  /** Why the annotation has no effect. */
  readonly ignored?: string | undefined;
}

/** Engines that load adapters by name. */
const engines: readonly AdapterEngine[] = ["vllm", "sglang"];

export const adaptersFolder = "/workspace/adapters";
const none = { engine: "vllm", adapters: [] } as const;

export function planAdapters(
  { adapters: requested }: ServingAnnotations,
  template: ObservedTemplate | undefined,
  options: AimOptions,
): AdaptersPlan {
  if (requested.length === 0 || template === undefined) return none;
  const reported = engineOf(template);
  const engine = engines.find((one) => one === reported);
  if (engine === undefined) {
    const ignored = `Annotation ${servingAnnotations.adapters} has no effect: engine ${reported} of template ${template.name} cannot load adapters; use a template with vLLM or SGLang, or remove the annotation`;
    return { ...none, ignored };
  }
  const adapters = requested.map(({ name, source = "" }): AdapterPlan => {
    const local = localSourceOf({ spec: { sourceUri: source } }, options);
    return { name, source, path: `${adaptersFolder}/${name}`, ...(local === undefined ? {} : { local }) };
  });
  const fault = findAdapterFault(requested, {
    schemes: ["hub", "s3", "file"],
    expected: "hf://, s3:// or file:///",
    localRoots: options.localRoots,
  });
  return { engine, adapters, fault };
}
