import { isUnresolved, type Reader } from "@trivium/reconcile";
import { type Fact, known } from "@trivium/std";
import { AIMClusterRuntimeConfig, AIMRuntimeConfig } from "../../kinds/runtime-config.ts";
import type { ResolvedReference, RuntimeConfig, RuntimeConfigSpec } from "../../objects.ts";
import { mergeSettings, noSettings, type Settings, settingsOf } from "./merge-settings.ts";

/** Whoever follows a config reads these. */
export const runtimeConfigKinds = [AIMRuntimeConfig, AIMClusterRuntimeConfig] as const;

export interface ObservedRuntimeConfig {
  readonly name: string;
  readonly namespace: string;
  readonly namespaced: Fact<ObservedConfig>;
  readonly cluster: Fact<ObservedConfig>;
}

export interface ObservedConfig {
  readonly uid: string;
  readonly spec: RuntimeConfigSpec;
}

const defaultConfigName = "default";

/** Cluster-wide objects look into the namespace of the operator. */
export function observeRuntimeConfig(
  reader: Reader<(typeof runtimeConfigKinds)[number]>,
  wanted: { readonly name: string | undefined; readonly namespace: string },
): ObservedRuntimeConfig {
  const name = wanted.name?.trim() || defaultConfigName;
  const { namespace } = wanted;
  return {
    name,
    namespace,
    namespaced: observedOf(reader.get(AIMRuntimeConfig, { namespace, name })),
    cluster: observedOf(reader.get(AIMClusterRuntimeConfig, { name })),
  };
}

function observedOf(fact: Fact<RuntimeConfig>): Fact<ObservedConfig> {
  if (fact.is !== "known") return fact;
  const { metadata, spec } = fact.value;
  return known({ uid: metadata.uid ?? "", spec: spec ?? {} });
}

export type ResolvedConfig =
  | {
      readonly is: "resolved";
      readonly settings: Settings;
      /** Nothing where not even the default config is there. */
      readonly reference: ResolvedReference | undefined;
    }
  | { readonly is: "missing"; readonly message: string }
  /** Not looked up yet: what was said before stands. */
  | { readonly is: "unknown" };

/** The namespaced config laid over the cluster-wide one of the same name. That there is no `default` is no fault. */
export function resolveRuntimeConfig(observed: ObservedRuntimeConfig): ResolvedConfig {
  const { name, namespace, namespaced, cluster } = observed;
  if (isUnresolved(namespaced) || isUnresolved(cluster)) return { is: "unknown" };
  const layers = [cluster, namespaced].flatMap((fact) => (fact.is === "known" ? [settingsOf(fact.value.spec)] : []));
  if (layers.length === 0 && name !== defaultConfigName) {
    const message = `Neither AIMRuntimeConfig ${namespace}/${name} nor AIMClusterRuntimeConfig ${name} found; create one, or change spec.runtimeConfigName`;
    return { is: "missing", message };
  }
  return { is: "resolved", settings: layers.reduce(mergeSettings, noSettings), reference: referenceOf(observed) };
}

function referenceOf({ name, namespace, namespaced, cluster }: ObservedRuntimeConfig): ResolvedReference | undefined {
  if (namespaced.is === "known") {
    const scope = cluster.is === "known" ? "Merged" : "Namespace";
    return { name, namespace, scope, kind: AIMRuntimeConfig.kind, uid: namespaced.value.uid };
  }
  if (cluster.is !== "known") return undefined;
  return { name, scope: "Cluster", kind: AIMClusterRuntimeConfig.kind, uid: cluster.value.uid };
}
