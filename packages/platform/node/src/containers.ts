import type { api, Pod } from "@trivium/kube";
import type { ContainerRole } from "./sandbox.ts";

export interface PlacedContainer {
  readonly container: api.Container;
  readonly role: ContainerRole;
}

/** The containers of a pod in the order in which they start. An init container that is always restarted is a sidecar. */
export function containersOf(pod: Pod): PlacedContainer[] {
  const inits = (pod.spec?.initContainers ?? []).map(
    (container): PlacedContainer => ({ container, role: container.restartPolicy === "Always" ? "sidecar" : "init" }),
  );
  return [...inits, ...(pod.spec?.containers ?? []).map((container): PlacedContainer => ({ container, role: "main" }))];
}

/** Whether a container that ended is started again. */
export function isRestarted(pod: Pod, { container, role }: PlacedContainer, code: number): boolean {
  const policy = container.restartPolicy ?? pod.spec?.restartPolicy ?? "Always";
  if (role === "sidecar") return true;
  // An init container that did its work is done, whatever the policy.
  if (role === "init" && code === 0) return false;
  return policy === "Always" || (policy === "OnFailure" && code !== 0);
}
