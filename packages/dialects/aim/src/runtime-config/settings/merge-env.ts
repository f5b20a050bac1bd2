import { isObject, type Json, type JsonObject } from "@trivium/std";
import type { EnvVars } from "../../kinds/pod-fields.ts";

type EnvVar = EnvVars[number];

/** The one variable whose value is made of what all levels say. */
const engineArguments = "AIM_ENGINE_ARGS";

/** Variables of several levels, the lowest first; a higher one wins. By name, but each behind those that it refers to. */
export function mergeEnv(...levels: readonly (EnvVars | undefined)[]): EnvVars {
  const merged = new Map<string, EnvVar>();
  for (const variable of levels.flatMap((level) => level ?? [])) {
    merged.set(variable.name, mergeVariable(merged.get(variable.name), variable));
  }
  return inOrderOfUse(merged);
}

function mergeVariable(lower: EnvVar | undefined, upper: EnvVar): EnvVar {
  if (lower === undefined || upper.name !== engineArguments) return upper;
  const [below, above] = [argumentsOf(lower), argumentsOf(upper)];
  if (below === undefined || above === undefined) return upper;
  return { name: upper.name, value: JSON.stringify(mergeDeep(below, above)) };
}

/** Nothing where the value is no JSON object, or comes from somewhere else. */
function argumentsOf({ value, valueFrom }: EnvVar): JsonObject | undefined {
  if (valueFrom || !value) return undefined;
  try {
    const parsed = JSON.parse(value) as Json;
    return isObject(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}

const deepest = 64;

/** Objects are merged key by key; of anything else the upper one wins. */
function mergeDeep(lower: JsonObject, upper: JsonObject, depth = 0): JsonObject {
  const merged = new Map(Object.entries(lower));
  for (const [key, value] of Object.entries(upper)) {
    const below = merged.get(key);
    const isBoth = isObject(below) && isObject(value) && depth < deepest;
    merged.set(key, isBoth ? mergeDeep(below, value, depth + 1) : value);
  }
  return Object.fromEntries(merged);
}

/** Kubernetes expands `$(NAME)` from variables that stand further up, so a plain sort by name would break them. */
function inOrderOfUse(variables: ReadonlyMap<string, EnvVar>): EnvVars {
  const ordered: EnvVar[] = [];
  const visited = new Set<string>();
  const visit = (name: string): void => {
    const variable = variables.get(name);
    if (variable === undefined || visited.has(name)) return;
    visited.add(name);
    for (const used of referencesIn(variable)) visit(used);
    ordered.push(variable);
  };
  for (const name of [...variables.keys()].sort()) visit(name);
  return ordered;
}

/** `$$(NAME)` is no reference. */
function referencesIn({ value }: EnvVar): string[] {
  const found = (value ?? "").matchAll(/(\$+)\(([^()$\s]{1,253})\)/g);
  return [...found].flatMap(([, dollars = "", name = ""]) => (dollars.length % 2 === 1 ? [name] : [])).sort();
}
