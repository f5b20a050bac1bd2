import type { api } from "@trivium/kube";
import type { InferenceService } from "../../../kinds/inference-service.ts";
import { bestEntry, type ModelTraits, type RuntimeSpec } from "../../../selection/index.ts";
import type { ComponentName } from "../../roles/component.ts";
import { mergeArguments } from "./merge-arguments.ts";
import { setParallelSizes } from "./parallel-size.ts";

const annotation = "ome.io/accelerator-class";

/** The class of accelerators that a component is to run on, where somebody names one, and where: its own before the service's. */
export function classOf({ metadata, spec }: InferenceService, component: ComponentName): NamedClass | undefined {
  if (component === "router") return undefined;
  const own = spec[component]?.acceleratorOverride?.acceleratorClass;
  if (own) return { name: own, place: `spec.${component}.acceleratorOverride` };
  const selected = spec.acceleratorSelector?.acceleratorClass;
  if (selected) return { name: selected, place: "spec.acceleratorSelector" };
  const annotated = metadata.annotations?.[annotation];
  return annotated ? { name: annotated, place: `the annotation ${annotation}` } : undefined;
}

export interface NamedClass {
  readonly name: string;
  readonly place: string;
}

export interface ClassInput {
  readonly service: InferenceService;
  readonly component: ComponentName;
  readonly template: RuntimeSpec;
  readonly model: { readonly traits: ModelTraits };
}

/** The container with what its runtime changes for the class of accelerators. */
export function applyClass(container: api.Container, input: ClassInput): api.Container {
  const { service, component, template, model } = input;
  const named = classOf(service, component);
  const change = named === undefined ? undefined : bestEntry(template, model.traits)?.acceleratorConfig?.[named.name];
  if (change === undefined) return container;
  const { environmentOverride = {}, runtimeArgsOverride = [], tensorParallelismOverride: spread = {} } = change;
  const { command = [], args = [] } = container;
  const words = setParallelSizes(
    { command, args: mergeArguments(args, runtimeArgsOverride) },
    { tensor: spread.tensorParallelSize, pipeline: spread.pipelineParallelSize },
  );
  return {
    ...container,
    ...(words.command.length === 0 ? {} : { command: [...words.command] }),
    ...(words.args.length === 0 ? {} : { args: [...words.args] }),
    ...withEnvironment(container.env ?? [], environmentOverride),
  };
}

/** In place where a variable is there, else at the end in the order of names. */
function withEnvironment(
  env: readonly api.EnvVar[],
  over: Readonly<Record<string, string>>,
): Pick<api.Container, "env"> {
  const names = Object.keys(over).sort();
  if (names.length === 0) return {};
  const isOver = (name: string): boolean => Object.hasOwn(over, name);
  const kept = env.map((one) => (isOver(one.name) ? { name: one.name, value: over[one.name] as string } : one));
  const known = new Set(env.map(({ name }) => name));
  const added = names.filter((name) => !known.has(name)).map((name) => ({ name, value: over[name] as string }));
  return { env: [...kept, ...added] };
}
