import {
  type AnyObject,
  type api,
  checkPodSecurity,
  formatPodSecurity,
  type PodSecurityMode,
  podSecurityLevelOf,
  podSpecsIn,
} from "@trivium/kube";
import type { Call } from "../call.ts";
import { forbidden } from "../refusals.ts";

/** Refuses pods beyond the level that the labels of their namespace enforce, and warns as they ask, of templates too. */
export function enforcePodSecurity(call: Call, object: AnyObject): void {
  const { backend, resource, namespace } = call;
  if (resource.origin !== "built-in" || !resource.namespaced) return;
  const [first] = podSpecsIn(object);
  if (first === undefined) return;
  const stored = backend.storage.store.get({ resource: "namespaces", namespace: "", name: namespace });
  const found = (mode: PodSecurityMode) => violationsOf(first.spec, stored?.labels, mode);
  const refused = object.kind === "Pod" ? found("enforce") : undefined;
  if (refused !== undefined) throw forbidden(resource, object.metadata.name ?? "", `violates ${refused}`);
  const warned = found("warn");
  if (warned !== undefined) call.warnings.push(`would violate ${warned}`);
}

function violationsOf(
  spec: api.PodSpec,
  labels: Readonly<Record<string, string>> | undefined,
  mode: PodSecurityMode,
): string | undefined {
  const level = podSecurityLevelOf(labels, mode);
  const violations = checkPodSecurity(spec, level);
  return violations.length === 0 ? undefined : formatPodSecurity(level, violations);
}
