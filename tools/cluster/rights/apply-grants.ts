import {
  ClusterRole,
  ClusterRoleBinding,
  type Kind,
  type KubeClient,
  type KubeObject,
  Role,
  RoleBinding,
  ServiceAccount,
} from "@trivium/kube";

const kinds: readonly Kind[] = [ServiceAccount, ClusterRole, ClusterRoleBinding, Role, RoleBinding];

/** Gives a cluster accounts with their roles. */
export async function applyGrants(client: KubeClient, grants: readonly KubeObject[]): Promise<void> {
  for (const grant of grants) {
    const kind = kinds.find((each) => each.kind === grant.kind) as Kind;
    await client.apply(kind, grant, { fieldManager: "grants", force: true });
  }
}
