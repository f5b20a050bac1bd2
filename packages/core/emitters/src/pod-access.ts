import type { PodAccess } from "@trivium/domain";
import { Role, RoleBinding, ServiceAccount } from "@trivium/kube";
import type { Desired } from "@trivium/reconcile";

/** What the account can do. */
export const podAccessRule = { apiGroups: [""], resources: ["pods"], verbs: ["get", "list", "watch"] };

/** What a role needs to find the pods of others: an account, unless the user named one, that can list pods. */
export function emitPodAccess(
  { name, account, isOurs }: PodAccess,
  labels: Readonly<Record<string, string>>,
): Desired[] {
  const metadata = { name, labels: { ...labels } };
  const own: ServiceAccount = { apiVersion: "v1", kind: "ServiceAccount", metadata };
  const role: Role = {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "Role",
    metadata,
    rules: [podAccessRule],
  };
  const binding: RoleBinding = {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "RoleBinding",
    metadata,
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name },
    subjects: [{ kind: "ServiceAccount", name: account }],
  };
  return [
    ...(isOurs ? [{ kind: ServiceAccount, object: own }] : []),
    { kind: Role, object: role },
    { kind: RoleBinding, object: binding },
  ];
}
