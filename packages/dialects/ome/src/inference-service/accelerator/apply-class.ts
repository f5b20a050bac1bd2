import type { api } from "@trivium/kube";
import type { InferenceService } from "../../kinds/inference-service.ts";
import { bestEntry, type ModelTraits, type RuntimeSpec } from "../../selection/index.ts";
import type { ComponentName } from "../component.ts";
import { mergeArguments } from "./merge-arguments.ts";
import { setParallelSizes } from "./parallel-size.ts";

/** The class of accelerators that a component is to run on, where somebody names one: its own before the service's. */
export function classOf({ metadata, spec }: InferenceService, component: ComponentName): string | undefined {
  const own = component === "router" ? undefined : spec[component]?.acceleratorOverride?.acceleratorClass;
  const named = own || spec.acceleratorSelector?.acceleratorClass || metadata.annotations?.["ome.io/accelerator-class"];
  return named || undefined;
}

export interface ClassQuestion {
  readonly service: InferenceService;
  readonly component: ComponentName;
  readonly template: RuntimeSpec;
  readonly model: { readonly traits: ModelTraits };
}

/** The container with what its runtime changes for the class of accelerators. */
export function applyClass(container: api.Container, question: ClassQuestion): api.Container {
  const { service, component, template, model } = question;
  const name = classOf(service, component);
  const change = name === undefined ? undefined : bestEntry(template, model.traits)?.acceleratorConfig?.[name];
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
