import type { api, Pod } from "@trivium/kube";
import type { ContainerRole } from "../sandbox.ts";

export interface PlacedContainer {
  readonly container: api.Container;
  readonly role: ContainerRole;
}

/** The containers of a pod in the order in which they start. An init container that is always restarted is a sidecar. */
export function containersOf(pod: Pod): PlacedContainer[] {
  const inits = (pod.spec?.initContainers ?? []).map(
    (container): PlacedContainer => ({ container, role: container.restartPolicy === "Always" ? "sidecar" : "init" }),
  );
  const mains = (pod.spec?.containers ?? []).map((container): PlacedContainer => ({ container, role: "main" }));
  return [...inits, ...mains, ...ephemeralsOf(pod)];
}

/** Those that `kubectl debug` added since the pod was created. */
export function ephemeralsOf(pod: Pod): PlacedContainer[] {
  const all = (pod.spec?.ephemeralContainers ?? []) as readonly api.Container[];
  return all.map((container) => ({ container, role: "ephemeral" }));
}

/** Whether the mains wait for it. */
export const isInitial = ({ role }: Pick<PlacedContainer, "role">): boolean => role === "init" || role === "sidecar";

/** Whether a container that ended is started again. */
export function isRestarted(pod: Pod, { container, role }: PlacedContainer, code: number): boolean {
  const policy = container.restartPolicy ?? pod.spec?.restartPolicy ?? "Always";
  if (role === "sidecar") return true;
  if (role === "ephemeral") return false;
  // An init container that did its work is done, whatever the policy.
  if (role === "init" && code === 0) return false;
  return policy === "Always" || (policy === "OnFailure" && code !== 0);
}
