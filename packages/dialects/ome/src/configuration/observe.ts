import { ConfigMap } from "@trivium/kube";
import type { Reader } from "@trivium/reconcile";
import { type Fact, known } from "@trivium/std";
import type { OmeOptions } from "../options.ts";
import { type Configuration, configurationName, readConfiguration } from "./configuration.ts";

/** What the administrator says, from the watch. Who reads it is woken by every change of it. */
export function observeConfiguration(
  reader: Reader<typeof ConfigMap>,
  { namespace }: Pick<OmeOptions, "namespace">,
): Fact<Configuration> {
  const found = reader.get(ConfigMap, { namespace, name: configurationName });
  return found.is === "known" ? known(readConfiguration(found.value.data ?? {})) : found;
}
