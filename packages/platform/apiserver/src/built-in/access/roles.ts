import type { api, ClusterRole, ClusterRoleBinding, Role, RoleBinding } from "@trivium/kube";
import { type Traits, traits } from "../traits.ts";
import { checkBinding, checkRole, faultsOfPathSegment } from "./check.ts";

const rbac = "rbac.authorization.k8s.io";

export const role = traits<Role>({
  allowsCreateOnUpdate: true,
  validateName: faultsOfPathSegment,
  validate: (object) => checkRole(object, "Namespaced"),
});
export const clusterRole = traits<ClusterRole>({
  allowsCreateOnUpdate: true,
  validateName: faultsOfPathSegment,
  validate: (object) => checkRole(object, "Cluster"),
});

const binding: Traits<RoleBinding> = {
  validateName: faultsOfPathSegment,
  defaults: ({ roleRef, subjects }) => {
    if (roleRef) roleRef.apiGroup ||= rbac;
    for (const subject of subjects ?? []) {
      if (subject.kind === "User" || subject.kind === "Group") subject.apiGroup ||= rbac;
    }
  },
  cells: {
    Role: ({ roleRef }) => `${roleRef.kind}/${roleRef.name}`,
    Users: ({ subjects }) => subjectsText(subjects, "User"),
    Groups: ({ subjects }) => subjectsText(subjects, "Group"),
    ServiceAccounts: ({ subjects }) => subjectsText(subjects, "ServiceAccount"),
  },
};

export const roleBinding = traits<RoleBinding>({
  allowsCreateOnUpdate: true,
  ...binding,
  validate: (object, old) => checkBinding(object, old, "Namespaced"),
});
export const clusterRoleBinding = traits<ClusterRoleBinding>({
  allowsCreateOnUpdate: true,
  ...(binding as Traits<ClusterRoleBinding>),
  validate: (object, old) => checkBinding(object, old, "Cluster"),
});

function subjectsText(subjects: readonly api.Subject[] | undefined, kind: string): string {
  const named = (subjects ?? []).filter((subject) => subject.kind === kind);
  return named
    .map(({ name, namespace }) => (kind === "ServiceAccount" ? `${namespace ?? ""}/${name}` : name))
    .join(", ");
}
