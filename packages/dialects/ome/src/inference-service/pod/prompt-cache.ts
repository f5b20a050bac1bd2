import { type PromptCache, planPromptCache, servingAnnotations } from "@trivium/engines";
import type { api } from "@trivium/kube";
import { engineFamilyOf, isFlagPresent, startsWithShell } from "./engine-family.ts";
import type { PodRole } from "./pod-role.ts";
import { withEnv } from "./with-env.ts";

/** The arguments for the cache, for runtimes whose script starts the engine. */
const argumentsVariable = "PROMPT_CACHE_ARGS";

export interface CacheInput {
  readonly cache: PromptCache | undefined;
  readonly namespace: string;
  readonly role?: PodRole | undefined;
  readonly isRay?: boolean | undefined;
}

export interface CachedContainer {
  readonly container: api.Container;
  /** Why the annotation has no effect, where it has none. */
  readonly ignored: readonly string[];
}

/** The container that serves, with the prompt cache that the service requests. */
export function withPromptCache(container: api.Container, input: CacheInput): CachedContainer {
  const { cache, namespace, role, isRay } = input;
  if (cache === undefined) return { container, ignored: [] };
  const family = engineFamilyOf(container);
  const plan = planPromptCache(cache, { engine: family === "tgi" ? undefined : family, namespace });
  if (plan.is === "unsupported") return { container, ignored: [withoutEffect(plan.why)] };
  const { command = [], args = [] } = container;
  const words = [...command, ...args];
  const [flag] = plan.args;
  // Ray starts the engine on its workers with the arguments of the leader.
  if (flag === undefined || (role === "worker" && isRay === true))
    return { container: withEnv(container, plan.env), ignored: [] };
  if (words.some((word) => word.includes(argumentsVariable))) {
    const env = [...plan.env, { name: argumentsVariable, value: plan.args.join(" ") }];
    return { container: withEnv(container, env), ignored: [] };
  }
  const fault = faultOfArguments(container, plan.args);
  if (fault !== undefined) return { container, ignored: [withoutEffect(fault)] };
  const added = isFlagPresent(words, flag) ? [] : plan.args;
  return { container: withEnv({ ...container, args: [...args, ...added] }, plan.env), ignored: [] };
}

/** Why the arguments cannot be added. */
function faultOfArguments(container: api.Container, [flag = "", ...values]: readonly string[]): string | undefined {
  const { name, command = [], args = [] } = container;
  if (values.length > 0 && isFlagPresent([...command, ...args], flag))
    return `container ${name} sets ${flag}; remove one of them`;
  if (!startsWithShell(container)) return undefined;
  const why = `container ${name} is started by a shell, so no arguments can be added`;
  return `${why}; use $${argumentsVariable} where its script lists arguments`;
}

const withoutEffect = (why: string): string => `Annotation ${servingAnnotations.promptCache} has no effect: ${why}`;
