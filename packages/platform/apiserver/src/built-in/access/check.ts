import type { api, ClusterRole, RoleBinding } from "@trivium/kube";
import { type FieldError, invalid, notSupported, required } from "@trivium/schema";
import { deepEqual, faultsOfDnsSubdomain, type Json } from "@trivium/std";
import { checkSelector } from "../checks/labels.ts";
import { invalidFor, requiredText } from "../checks/values.ts";

const rbac = "rbac.authorization.k8s.io";

/** Names of roles may hold almost anything, since built-in ones contain colons. */
export function faultsOfPathSegment(name: string): string[] {
  if (name === "." || name === "..") return [`may not be '${name}'`];
  return ["/", "%"].filter((part) => name.includes(part)).map((part) => `may not contain '${part}'`);
}

export function checkRole(role: ClusterRole, scope: "Namespaced" | "Cluster"): FieldError[] {
  return [
    ...checkAggregation(role.aggregationRule),
    ...(role.rules ?? []).flatMap((rule, index) => checkRule(`rules[${index}]`, rule, scope)),
  ];
}

function checkAggregation(aggregation: api.AggregationRule | undefined): FieldError[] {
  if (aggregation === undefined) return [];
  const at = "aggregationRule.clusterRoleSelectors";
  const selectors = aggregation.clusterRoleSelectors ?? [];
  if (selectors.length === 0)
    return [required(at, "at least one clusterRoleSelector required if aggregationRule is non-nil")];
  return selectors.flatMap((selector, index) => {
    const faults = checkSelector(`${at}[${index}]`, selector);
    return faults.length === 0 ? [] : [...faults, invalid(`${at}[${index}]`, null, "invalid label selector.")];
  });
}

function checkRule(at: string, rule: api.PolicyRule, scope: "Namespaced" | "Cluster"): FieldError[] {
  const { verbs = [], apiGroups = [], resources = [], nonResourceURLs = [], resourceNames = [] } = rule;
  const faults = verbs.length === 0 ? [required(`${at}.verbs`, "verbs must contain at least one value")] : [];
  if (nonResourceURLs.length > 0) {
    if (scope === "Namespaced") {
      faults.push(
        invalid(`${at}.nonResourceURLs`, [...nonResourceURLs], "namespaced rules cannot apply to non-resource URLs"),
      );
    }
    if (apiGroups.length + resources.length + resourceNames.length > 0) {
      const detail = "rules cannot apply to both regular resources and non-resource URLs";
      faults.push(invalid(`${at}.nonResourceURLs`, [...nonResourceURLs], detail));
    }
    return faults;
  }
  if (apiGroups.length === 0)
    faults.push(required(`${at}.apiGroups`, "resource rules must supply at least one api group"));
  if (resources.length === 0)
    faults.push(required(`${at}.resources`, "resource rules must supply at least one resource"));
  return faults;
}

export function checkBinding(
  binding: RoleBinding,
  old: RoleBinding | undefined,
  scope: "Namespaced" | "Cluster",
): FieldError[] {
  const { roleRef, subjects } = binding;
  const kinds = scope === "Namespaced" ? ["Role", "ClusterRole"] : ["ClusterRole"];
  const moved = old !== undefined && !deepEqual(roleRef, old.roleRef);
  return [
    ...(roleRef.apiGroup === rbac ? [] : [notSupported("roleRef.apiGroup", roleRef.apiGroup ?? "", [rbac])]),
    ...(kinds.includes(roleRef.kind) ? [] : [notSupported("roleRef.kind", roleRef.kind, kinds)]),
    ...(roleRef.name
      ? invalidFor("roleRef.name", roleRef.name, faultsOfPathSegment(roleRef.name))
      : [required("roleRef.name")]),
    ...(subjects ?? []).flatMap((subject, index) => checkSubject(`subjects[${index}]`, subject, scope)),
    ...(moved ? [invalid("roleRef", namesOf(roleRef), "cannot change roleRef")] : []),
  ];
}

/** A reference as messages show it, under the names that its fields have inside the real server. */
const namesOf = (ref: api.RoleRef): Json => ({ APIGroup: ref.apiGroup ?? "", Kind: ref.kind, Name: ref.name });

function checkSubject(at: string, { name, kind, apiGroup = "", namespace }: api.Subject, scope: string): FieldError[] {
  const faults = requiredText(`${at}.name`, name);
  switch (kind) {
    case "ServiceAccount":
      return [
        ...faults,
        ...(name ? invalidFor(`${at}.name`, name, faultsOfDnsSubdomain(name)) : []),
        ...(apiGroup === "" ? [] : [notSupported(`${at}.apiGroup`, apiGroup, [""])]),
        ...(scope === "Cluster" && !namespace ? [required(`${at}.namespace`)] : []),
      ];
    case "User":
    case "Group":
      return apiGroup === rbac ? faults : [...faults, notSupported(`${at}.apiGroup`, apiGroup, [rbac])];
    default:
      return [...faults, notSupported(`${at}.kind`, kind, ["ServiceAccount", "User", "Group"])];
  }
}
