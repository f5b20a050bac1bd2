import { type ServingAnnotations, servingAnnotations } from "@trivium/engines";
import { sourceUriPattern } from "../../kinds/vocabulary.ts";
import { type LocalSource, localSourceOf, refusalOf } from "../../model-cache/weights/local-source.ts";
import type { AimOptions } from "../../options.ts";
import type { ObservedTemplate } from "../observed/observed-service.ts";

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

/** Engines that load adapters by name. An image that reports no engine is a vLLM one. */
const engines = ["vllm", "sglang"] as const;
export type AdapterEngine = (typeof engines)[number];

export const adaptersFolder = "/workspace/adapters";
const annotation = servingAnnotations.adapters;
const none = { engine: "vllm", adapters: [] } as const;

export function planAdapters(
  { adapters: requested }: ServingAnnotations,
  template: ObservedTemplate | undefined,
  options: AimOptions,
): AdaptersPlan {
  if (requested.length === 0 || template === undefined) return none;
  const reported = template.status?.profile?.metadata?.engine?.toLowerCase() ?? "vllm";
  const engine = engines.find((one) => one === reported);
  if (engine === undefined) {
    const ignored = `Annotation ${annotation} has no effect: engine ${reported} of template ${template.name} cannot load adapters; use a template with vLLM or SGLang, or remove the annotation`;
    return { ...none, ignored };
  }
  const adapters = requested.map(({ name, source = "" }): AdapterPlan => {
    const local = localSourceOf({ spec: { sourceUri: source } }, options);
    return { name, source, path: `${adaptersFolder}/${name}`, ...(local === undefined ? {} : { local }) };
  });
  const fault = adapters.map((one) => faultOf(one, options)).find((one) => one !== undefined);
  return { engine, adapters, fault };
}

const sourceForm = new RegExp(sourceUriPattern);

function faultOf({ name, source, local }: AdapterPlan, options: AimOptions): string | undefined {
  const subject = `Adapter ${name} of annotation ${annotation}`;
  if (source === "") return `${subject} has no source; write ${name}=hf://organization/repository`;
  if (!sourceForm.test(source))
    return `${subject} has source ${source.slice(0, 200)}, which is not supported; use hf://, s3:// or file:///`;
  return local !== undefined && local.root === undefined ? `${subject}: ${refusalOf(local, options)}` : undefined;
}
