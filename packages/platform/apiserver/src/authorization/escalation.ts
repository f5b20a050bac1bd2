import type { AnyObject, api, ClusterRole, RoleBinding } from "@trivium/kube";
import type { Call } from "../call.ts";
import { isPrivileged } from "../identity.ts";
import { forbidden, notFound } from "../refusals.ts";
import { compactRules, formatList, formatRule, uncoveredRules } from "./cover-rules.ts";

const group = "rbac.authorization.k8s.io";

/** Rules that only an administrator of everything has. */
const everything: readonly api.PolicyRule[] = [
  { apiGroups: ["*"], resources: ["*"], verbs: ["*"] },
  { nonResourceURLs: ["*"], verbs: ["*"] },
];

/**
 * Refuses roles and bindings that would give away more than the writer has, unless the writer is allowed to `escalate` the
 * role or to `bind` it. Other kinds pass.
 */
export function refuseEscalation(call: Call, object: AnyObject, old?: AnyObject): void {
  if (call.resource.group !== group || isPrivileged(call.identity)) return;
  const { plural } = call.resource;
  if (plural === "roles" || plural === "clusterroles")
    checkRole(call, object as unknown as ClusterRole, old as unknown as ClusterRole | undefined);
  else checkBinding(call, object as unknown as RoleBinding);
}

function checkRole(call: Call, role: ClusterRole, old: ClusterRole | undefined): void {
  const { identity, resource } = call;
  const name = role.metadata.name ?? "";
  if (isAllowed(call, { verb: "escalate", plural: resource.plural, namespace: call.namespace, name })) return;
  refuseUncovered(call, name, role.rules ?? []);
  if (role.aggregationRule === undefined && old?.aggregationRule === undefined) return;
  const own = call.backend.authorizer.rulesOf(identity, "");
  if (uncoveredRules(own, everything).length > 0)
    throw forbidden(resource, name, "must have cluster-admin privileges to use the aggregationRule");
}

function checkBinding(call: Call, { metadata, roleRef }: RoleBinding): void {
  const isCluster = roleRef.kind === "ClusterRole";
  const plural = isCluster ? "clusterroles" : "roles";
  if (isAllowed(call, { verb: "bind", plural, namespace: call.namespace, name: roleRef.name })) return;
  const rules = call.backend.authorizer.policy.rulesOfRole(roleRef, call.namespace);
  if (rules === undefined) throw notFound({ group, plural }, roleRef.name);
  refuseUncovered(call, metadata.name ?? "", rules);
}

function refuseUncovered(call: Call, name: string, rules: readonly api.PolicyRule[]): void {
  const { identity, resource, backend, namespace } = call;
  const missing = uncoveredRules(backend.authorizer.rulesOf(identity, namespace), rules);
  if (missing.length === 0) return;
  const lines = [...new Set(compactRules(missing).map(formatRule))].sort();
  const who = `user ${JSON.stringify(identity.user)} (groups=${formatList(identity.groups)})`;
  const why = `${who} is attempting to grant RBAC permissions not currently held:\n${lines.join("\n")}`;
  throw forbidden(resource, name, why);
}

interface RoleVerb {
  readonly verb: "escalate" | "bind";
  readonly plural: string;
  readonly namespace: string;
  readonly name: string;
}

const isAllowed = ({ backend, identity }: Call, { verb, plural, namespace, name }: RoleVerb): boolean =>
  backend.authorizer.decide(identity, {
    is: "resource",
    verb,
    group,
    resource: plural,
    subresource: "",
    namespace,
    name,
  }).allowed;
