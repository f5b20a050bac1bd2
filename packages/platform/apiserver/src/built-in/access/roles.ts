import type { api, ClusterRole, ClusterRoleBinding, Role, RoleBinding } from "@trivium/kube";
import { type Traits, traits } from "../traits.ts";

const rbac = "rbac.authorization.k8s.io";

export const role = traits<Role>({ cells: { "Created At": ({ metadata }) => metadata.creationTimestamp ?? "" } });
export const clusterRole = traits<ClusterRole>({
  cells: { "Created At": ({ metadata }) => metadata.creationTimestamp ?? "" },
});

const binding: Traits<RoleBinding> = {
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

export const roleBinding = traits<RoleBinding>(binding);
export const clusterRoleBinding = traits<ClusterRoleBinding>(binding as Traits<ClusterRoleBinding>);

function subjectsText(subjects: readonly api.Subject[] | undefined, kind: string): string {
  const named = (subjects ?? []).filter((subject) => subject.kind === kind);
  return named
    .map(({ name, namespace }) => (kind === "ServiceAccount" && namespace ? `${namespace}/${name}` : name))
    .join(", ");
}
