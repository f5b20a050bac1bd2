import type { DecidedCondition, KubeObject } from "@trivium/kube";
import type { Note } from "@trivium/reconcile";
import type { Conditions } from "./kinds/status-fields.ts";
import type { ResolvedConfig } from "./runtime-config/settings/resolve.ts";

export const condition = (
  type: string,
  status: "True" | "False" | "Unknown",
  { reason, message }: { readonly reason: string; readonly message: string },
): DecidedCondition => ({ type, status, reason, message });

/** Nothing failed. What is not ready may have a cause all the same, so this repeats what Ready reports. */
export const noFailure = (reason: string, { isReady, message }: { isReady: boolean; message: string }) =>
  condition("Failure", "False", { reason, message: isReady ? "No failure" : message });

/** The conditions of a status, each of the generation that it was decided for. */
export function conditionsFor({ metadata }: KubeObject, conditions: readonly DecidedCondition[]): Conditions {
  const { generation } = metadata;
  const stamped = conditions.map((one) =>
    generation === undefined ? one : { ...one, observedGeneration: generation },
  );
  // The runtime adds the times.
  return stamped as Conditions;
}

export const generationOf = ({ metadata }: KubeObject): { observedGeneration?: number } =>
  metadata.generation === undefined ? {} : { observedGeneration: metadata.generation };

/** Whether and where the runtime config was found. */
export function configCondition(config: Exclude<ResolvedConfig, { is: "unknown" }>): DecidedCondition {
  const type = "RuntimeResolved";
  if (config.is === "missing")
    return condition(type, "False", { reason: "RuntimeConfigMissing", message: config.message });
  const { reference } = config;
  if (reference === undefined) {
    const message = "Runtime config default not found; using built-in defaults";
    return condition(type, "True", { reason: "DefaultRuntimeConfigMissing", message });
  }
  const merged = reference.scope === "Merged" ? " merged with the AIMClusterRuntimeConfig of the same name" : "";
  const message = `Using ${reference.kind} ${reference.name}${merged}`;
  return condition(type, "True", { reason: "RuntimeResolved", message });
}

/** Told once: where settings come from, or that nobody gave any, which is no fault. */
export function configNotes({ reference }: Extract<ResolvedConfig, { is: "resolved" }>): Note[] {
  if (reference === undefined) {
    const message = "Runtime config default not found; using built-in defaults";
    return [{ type: "Normal", reason: "DefaultRuntimeConfigNotFound", message }];
  }
  const message = `Using ${reference.kind} ${reference.name}`;
  return [{ type: "Normal", reason: "RuntimeConfigResolved", message }];
}
