import { type Kind, StorageClass } from "@trivium/kube";
import type { Reconciler } from "@trivium/reconcile";
import type { RuntimeConfig } from "../objects.ts";
import { lowerConfig } from "./lower.ts";
import { type ObservedConfig, observeConfig } from "./observe.ts";
import { raiseConfig } from "./raise.ts";

/** A config has no children: what applies it reads it. What is decided is whether its settings are valid. */
export function runtimeConfigReconciler(
  name: string,
  kind: Kind<RuntimeConfig>,
): Reconciler<RuntimeConfig, ObservedConfig, typeof StorageClass> {
  return {
    name,
    kind,
    reads: [StorageClass],
    writes: [],
    observe: observeConfig,
    decide: (config, observed) => ({ do: "hold", ...raiseConfig(config, lowerConfig(config), observed) }),
  };
}
