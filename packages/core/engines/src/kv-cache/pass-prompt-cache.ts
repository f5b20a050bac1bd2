import type { api } from "@trivium/kube";
import { servingAnnotations } from "../serving/annotation-names.ts";
import { type EngineArgument, formatArgument, isFlagPresent } from "../serving/engine-argument.ts";
import { engineFamilyOf, startsWithShell } from "../serving/engine-family.ts";
import { withEnv } from "../serving/with-env.ts";
import { type PromptCache, planPromptCache } from "./prompt-cache.ts";

/** The arguments for the cache, for containers whose script starts the engine. */
const argumentsVariable = "PROMPT_CACHE_ARGS";

export interface CacheInput {
  readonly cache: PromptCache | undefined;
  readonly namespace: string;
  /** The arguments of the engine are those of its leader. */
  readonly isFollower: boolean;
}

export interface CachedContainer {
  readonly container: api.Container;
  /** Why the annotation has no effect, where it has none. */
  readonly ignored: readonly string[];
}

/** A container of unknown arguments, with the prompt cache that its service requests. */
export function passPromptCache(container: api.Container, input: CacheInput): CachedContainer {
  const { cache, namespace, isFollower } = input;
  if (cache === undefined) return { container, ignored: [] };
  const family = engineFamilyOf(container);
  const plan = planPromptCache(cache, { engine: family === "tgi" ? undefined : family, namespace });
  if (plan.is === "unsupported") return { container, ignored: [withoutEffect(plan.why)] };
  const { command = [], args = [] } = container;
  const words = [...command, ...args];
  const [argument] = plan.args;
  if (argument === undefined || isFollower) return { container: withEnv(container, plan.env), ignored: [] };
  if (words.some((word) => word.includes(argumentsVariable))) {
    const value = plan.args.flatMap(formatArgument).join(" ");
    return { container: withEnv(container, [...plan.env, { name: argumentsVariable, value }]), ignored: [] };
  }
  const fault = faultOfArgument(container, argument);
  if (fault !== undefined) return { container, ignored: [withoutEffect(fault)] };
  const added = isFlagPresent(words, argument.flag) ? [] : formatArgument(argument);
  return { container: withEnv({ ...container, args: [...args, ...added] }, plan.env), ignored: [] };
}

/** Why the argument cannot be added. */
function faultOfArgument(container: api.Container, { form, flag }: EngineArgument): string | undefined {
  const { name, command = [], args = [] } = container;
  if (form !== "switch" && isFlagPresent([...command, ...args], flag))
    return `container ${name} sets ${flag}; remove one of them`;
  if (!startsWithShell(container)) return undefined;
  const why = `container ${name} is started by a shell, so no arguments can be added`;
  return `${why}; use $${argumentsVariable} where its script lists arguments`;
}

const withoutEffect = (why: string): string => `Annotation ${servingAnnotations.promptCache} has no effect: ${why}`;
