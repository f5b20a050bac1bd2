import { isReason, type KubeClient, Namespace } from "@trivium/kube";
import type { PolicyRule } from "@trivium/runtime";
import { ClusterFault } from "./cluster-fault.ts";

/** A namespace that a dialect keeps objects of its own in, whoever uses it. */
export interface OwnNamespace {
  readonly name: string;
  /** What is there, and by which option another one is chosen: for messages. */
  readonly holds: string;
  readonly option: string;
}

/** With the definitions their namespaces are made; otherwise somebody must have done it. */
export async function confirmNamespace(
  client: KubeClient,
  { name, holds, option }: OwnNamespace,
  missing: "demand" | "make",
): Promise<void> {
  try {
    await client.get(Namespace, { name });
  } catch (error) {
    if (!isReason(error, "NotFound")) throw error;
    if (missing === "demand") {
      const advice = `create it, start with --install-crds, or choose another namespace with ${option}`;
      throw new ClusterFault(`Namespace ${name} for ${holds} not found; ${advice}`);
    }
    const namespace: Namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name } };
    await client.create(Namespace, namespace).catch((refused: unknown) => {
      if (!isReason(refused, "AlreadyExists")) throw refused;
    });
  }
}

/** To look for namespaces, and to make them. */
export const namespaceRule = (installs: boolean): PolicyRule => ({
  apiGroups: [""],
  resources: ["namespaces"],
  verbs: installs ? ["create", "get"] : ["get"],
});
