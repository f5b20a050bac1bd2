export { ClusterRole, ClusterRoleBinding, Role, RoleBinding } from "../generated/kinds.ts";
