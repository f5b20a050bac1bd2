import type { EngineArgument } from "@trivium/engines";
import { isObject } from "@trivium/std";
import type { EnvVars } from "../../kinds/pod-fields.ts";

/** Images of AIM read the arguments of their engine from this variable, as JSON without the leading dashes. */
const variable = "AIM_ENGINE_ARGS";

export function engineArguments(args: readonly EngineArgument[]): EnvVars {
  if (args.length === 0) return [];
  const entries = args.map((one) => [one.flag.replace(/^--/, ""), jsonOf(one)]);
  return [{ name: variable, value: JSON.stringify(Object.fromEntries(entries)) }];
}

function jsonOf(argument: EngineArgument): unknown {
  if (argument.form === "switch") return true;
  return argument.form === "value" ? readValue(argument.value) : argument.values;
}

/** A value that is an object is one here, too: levels of the variable are merged key by key. */
const readValue = (text: string): unknown => (text.startsWith("{") ? JSON.parse(text) : text);

/** The arguments that the variable has, as an engine gets them. */
export function statedArguments(env: EnvVars): string[] {
  const text = env.find(({ name }) => name === variable)?.value ?? "";
  try {
    const values: unknown = JSON.parse(text);
    return isObject(values) ? Object.entries(values).flatMap(([name, value]) => [`--${name}`, String(value)]) : [];
  } catch {
    return [];
  }
}
