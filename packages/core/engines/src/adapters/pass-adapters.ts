import type { api } from "@trivium/kube";
import { type EngineArgument, formatArgument, isFlagPresent } from "../serving/engine-argument.ts";
import { engineFamilyOf, startsWithShell } from "../serving/engine-family.ts";
import { withEnv } from "../serving/with-env.ts";
import { type AdapterFiles, adapterPairs, findLooseAdapter, planAdapterArguments } from "./adapter-arguments.ts";

/** Adapters as `name=path` with spaces between: for containers that pass them on themselves. */
export const adaptersVariable = "LORA_MODULES";

export type PassedAdapters =
  | { readonly is: "passed"; readonly container: api.Container }
  /** `adapter` is the one at fault, where one is. */
  | { readonly is: "refused"; readonly why: string; readonly adapter?: string };

/** A container of unknown arguments, with the adapters in the form that its engine reads; one that uses the variable passes them on itself. */
export function passAdapters(container: api.Container, adapters: readonly AdapterFiles[]): PassedAdapters {
  const pairs = adapterPairs(adapters);
  const reported = withEnv(container, [{ name: adaptersVariable, value: pairs.join(" ") }]);
  const { command = [], args = [] } = container;
  const present = [...command, ...args];
  if (present.some((word) => word.includes(adaptersVariable))) return { is: "passed", container: reported };
  const family = engineFamilyOf(container);
  if (family === "tgi")
    return { is: "passed", container: withEnv(reported, [{ name: "LORA_ADAPTERS", value: pairs.join(",") }]) };
  if (family === undefined) {
    const why = `the engine of container ${container.name} cannot be identified from its image or command`;
    return { is: "refused", why: `${why}; use $(${adaptersVariable}) where its arguments list adapters` };
  }
  if (startsWithShell(container)) {
    const why = `container ${container.name} is started by a shell, so no arguments can be added`;
    return { is: "refused", why: `${why}; use $${adaptersVariable} where its script lists adapters` };
  }
  const loose = family === "llama.cpp" ? findLooseAdapter(adapters) : undefined;
  if (loose !== undefined)
    return { is: "refused", why: "llama.cpp requires an adapter as a single GGUF file", adapter: loose.name ?? "" };
  const planned = planAdapterArguments(adapters, family);
  const more = planned.filter((one) => !isSet(present, one)).flatMap(formatArgument);
  return { is: "passed", container: { ...reported, args: [...args, ...more] } };
}

/** A switch or value that the container sets itself is kept; lists of adapters are added in any case. */
const isSet = (present: readonly string[], { form, flag }: EngineArgument): boolean =>
  (form === "switch" || form === "value") && isFlagPresent(present, flag);
