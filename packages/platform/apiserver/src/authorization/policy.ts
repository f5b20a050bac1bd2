import type { api, ClusterRole, ClusterRoleBinding, Role, RoleBinding } from "@trivium/kube";
import type { Identity } from "../identity.ts";
import type { Store, Stored } from "../store/store.ts";

/** One rule that a subject has, and the binding it has it from. */
export interface Grant {
  readonly rule: api.PolicyRule;
  /** `RoleBinding "read/team" of ClusterRole "view" to User "jane"` */
  readonly source: string;
}

/** The rules of a subject in a namespace, and which roles could not be found. */
export interface Policy {
  grantsOf(identity: Identity, namespace: string): { readonly grants: Iterable<Grant>; readonly missing: string[] };
  /** The rules of the role that a binding names; undefined where it does not exist. */
  rulesOfRole(ref: api.RoleRef, namespace: string): readonly api.PolicyRule[] | undefined;
}

const group = "rbac.authorization.k8s.io";

/**
 * Reads roles and bindings from the store for each question, so a rule counts from the moment it is stored and never
 * longer. What was read is kept for as long as the stored object is the same.
 */
export function createPolicy(store: Store): Policy {
  const parsed = new WeakMap<Stored, unknown>();
  const read = <T>(stored: Stored): T => {
    const known = parsed.get(stored) ?? JSON.parse(stored.text);
    parsed.set(stored, known);
    return known as T;
  };
  const rulesOfRole: Policy["rulesOfRole"] = ({ kind, name }, namespace) => {
    const key = kind === "ClusterRole" ? { plural: "clusterroles", namespace: "" } : { plural: "roles", namespace };
    const stored = store.get({ resource: `${key.plural}.${group}`, namespace: key.namespace, name });
    return stored === undefined ? undefined : (read<Role | ClusterRole>(stored).rules ?? []);
  };
  function* bindingsIn(namespace: string): Generator<RoleBinding | ClusterRoleBinding> {
    for (const stored of store.list(`clusterrolebindings.${group}`)) yield read<ClusterRoleBinding>(stored);
    if (namespace === "") return;
    for (const stored of store.list(`rolebindings.${group}`, { namespace })) yield read<RoleBinding>(stored);
  }
  function* grants(identity: Identity, namespace: string, missing: string[]): Generator<Grant> {
    for (const { metadata, roleRef, subjects = [] } of bindingsIn(namespace)) {
      const own = metadata.namespace ?? "";
      const subject = subjects.find((one) => isMeant(one, identity, own));
      if (subject === undefined) continue;
      const rules = rulesOfRole(roleRef, own);
      if (rules === undefined) missing.push(`${roleRef.kind.toLowerCase()}.${group} ${quote(roleRef.name)} not found`);
      const source = describeBinding(metadata, roleRef, subject);
      for (const rule of rules ?? []) yield { rule, source };
    }
  }
  return {
    rulesOfRole,
    grantsOf: (identity, namespace) => {
      const missing: string[] = [];
      return { missing, grants: grants(identity, namespace, missing) };
    },
  };
}

const quote = (text: string): string => JSON.stringify(text);

function isMeant(subject: api.Subject, { user, groups }: Identity, namespace: string): boolean {
  switch (subject.kind) {
    case "User":
      return subject.name === user;
    case "Group":
      return groups.includes(subject.name);
    case "ServiceAccount":
      return user === `system:serviceaccount:${subject.namespace || namespace}:${subject.name}`;
    default:
      return false;
  }
}

function describeBinding(
  { name = "", namespace }: { name?: string | undefined; namespace?: string | undefined },
  roleRef: api.RoleRef,
  subject: api.Subject,
): string {
  const binding = namespace === undefined ? "ClusterRoleBinding" : "RoleBinding";
  const shown = namespace === undefined ? name : `${name}/${namespace}`;
  const owner = subject.kind === "ServiceAccount" ? `${subject.name}/${subject.namespace || namespace}` : subject.name;
  return `${binding} ${quote(shown)} of ${roleRef.kind} ${quote(roleRef.name)} to ${subject.kind} ${quote(owner)}`;
}
