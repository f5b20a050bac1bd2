import type { api } from "@trivium/kube";
import type { ChosenClass } from "../../../accelerators/index.ts";
import type { InferenceService } from "../../../kinds/inference-service.ts";
import { bestEntry, type ModelTraits, type RuntimeSpec, type SupportedFormat } from "../../../selection/index.ts";
import type { ComponentName } from "../../roles/component.ts";
import { effectsOf } from "./class-effects.ts";
import { mergeArguments } from "./merge-arguments.ts";
import { setParallelSizes } from "./parallel-size.ts";

export interface ClassInput {
  readonly service: InferenceService;
  readonly component: ComponentName;
  readonly template: RuntimeSpec;
  readonly model: { readonly traits: ModelTraits };
  /** The class of accelerators that the component runs on, where one was chosen. */
  readonly accelerator?: ChosenClass | undefined;
}

/** The container with the resources of the class, and with what its runtime changes for the class. */
export function applyClass(container: api.Container, input: ClassInput): api.Container {
  const { template, model, accelerator } = input;
  if (accelerator === undefined) return container;
  const equipped = withResources(container, input);
  const change = bestEntry(template, model.traits)?.acceleratorConfig?.[accelerator.name];
  return change === undefined ? equipped : withOverrides(equipped, change);
}

function withResources(container: api.Container, { service, component, accelerator }: ClassInput): api.Container {
  if (component === "router") return container;
  const requested = effectsOf(service, component, accelerator).resources;
  if (Object.keys(requested).length === 0) return container;
  const { requests, limits, ...rest } = container.resources ?? {};
  const resources = { ...rest, requests: { ...requests, ...requested }, limits: { ...limits, ...requested } };
  return { ...container, resources };
}

type ClassOverrides = NonNullable<SupportedFormat["acceleratorConfig"]>[string];

function withOverrides(container: api.Container, change: ClassOverrides): api.Container {
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
