import { metricsAccessRules } from "@trivium/client";
import { type ClusterRole, groupResourceOf, type Kind } from "@trivium/kube";
import type { Dialect } from "@trivium/reconcile";
import { leaderPermissions, type PolicyRule, permissionsOf, planReportPermissions } from "@trivium/runtime";
import { stringify } from "yaml";
import type { OperatorOptions } from "./options/options.ts";
import { namespaceRule, type OwnNamespace } from "./own-namespace.ts";
import { watchedKinds } from "./preflight.ts";
import { upstreamLeaseRule } from "./upstream-operators.ts";
import { configurationRule, secretRule } from "./webhooks/webhook-rights.ts";

const name = "trivium-operator";
const apiVersion = "rbac.authorization.k8s.io/v1";

/** An object that grants permissions. */
interface Grant {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly [part: string]: unknown;
}

/** Installing definitions is writing them, and watching them become served. */
const definitionRule: PolicyRule = {
  apiGroups: ["apiextensions.k8s.io"],
  resources: ["customresourcedefinitions"],
  verbs: ["create", "get", "list", "patch", "watch"],
};

/** Events of objects without a namespace are in this one, as the API demands. */
export const eventHome = "default";

/** What an operator of one namespace needs there. */
export const eventPermissions: readonly PolicyRule[] = [
  { apiGroups: [""], resources: ["events"], verbs: ["create", "patch"] },
];

/** Whose work needs permissions. */
export interface Permitted {
  readonly dialects: readonly Dialect[];
  readonly permissions?: readonly PolicyRule[];
  readonly namespaces?: readonly OwnNamespace[];
}

/** The service account of the operator, and exactly the permissions it needs with these options. */
export function emitRbac(options: OperatorOptions, parts: Permitted): Grant[] {
  const home = options.operatorNamespace ?? "default";
  const { clusterWide, namespaced } = rulesOf(options, parts);
  const account: Grant = { apiVersion: "v1", kind: "ServiceAccount", metadata: { name, namespace: home } };
  const { secret, configuration } = options.webhooks;
  const wide = secret === undefined ? clusterWide : [...clusterWide, configurationRule(configuration)];
  const grants = [...grantEverywhere(wide, home)];
  if (secret !== undefined)
    grants.push(...grantIn(home, { name: `${name}-webhooks`, rules: [secretRule(secret)], home }));
  if (options.namespace !== undefined) {
    grants.push(...grantIn(options.namespace, { name, rules: namespaced, home }));
    grants.push(...grantIn(eventHome, { name: `${name}-events`, rules: eventPermissions, home }));
  }
  grants.push(...grantIn(home, { name: `${name}-take-over`, rules: planReportPermissions, home }));
  if (options.leaderElection) {
    const rules = leaderPermissions;
    grants.push(...grantIn(options.leaseNamespace ?? home, { name: `${name}-leader`, rules, home }));
  }
  return [account, ...grants];
}

export function formatRbac(grants: readonly (Grant | ClusterRole)[]): string {
  return grants.map((grant) => stringify(grant, { aliasDuplicateObjects: false })).join("---\n");
}

type RuleOptions = Pick<OperatorOptions, "namespace" | "installCrds"> & Partial<Pick<OperatorOptions, "metricsAccess">>;

/** With a namespace of its own an operator needs rights to namespaced kinds only there. */
export function rulesOf(
  { namespace, installCrds, metricsAccess = "anyone" }: RuleOptions,
  parts: Permitted,
): { clusterWide: PolicyRule[]; namespaced: PolicyRule[] } {
  const { dialects, permissions = [], namespaces = [] } = parts;
  const reconcilers = dialects.flatMap((dialect) => dialect.reconcilers);
  const rules = [...permissionsOf(reconcilers), ...permissions];
  const leases = dialects.flatMap(({ upstream }) => upstream?.leases ?? []);
  const extra = [
    ...(leases.length > 0 ? [upstreamLeaseRule(leases)] : []),
    ...(namespaces.length > 0 ? [namespaceRule(installCrds)] : []),
    ...(installCrds ? [definitionRule] : []),
    ...(metricsAccess === "authorized" ? metricsAccessRules : []),
  ];
  if (namespace === undefined) return { clusterWide: [...rules, ...extra], namespaced: [] };
  const wide = new Set(watchedKinds(reconcilers).filter(isClusterWide).map(groupResourceOf));
  const isWide = (group: string, resource: string): boolean => {
    const [plural = ""] = resource.split("/", 1);
    return wide.has(group === "" ? plural : `${plural}.${group}`);
  };
  return {
    clusterWide: [...restrict(rules, isWide), ...extra],
    namespaced: restrict(rules, (group, resource) => !isWide(group, resource)),
  };
}

const isClusterWide = (kind: Kind): boolean => !kind.namespaced;

function restrict(rules: readonly PolicyRule[], keeps: (group: string, resource: string) => boolean): PolicyRule[] {
  return rules
    .map((rule) => ({ ...rule, resources: rule.resources.filter((each) => keeps(rule.apiGroups[0] ?? "", each)) }))
    .filter(({ resources }) => resources.length > 0);
}

function grantEverywhere(rules: readonly PolicyRule[], home: string): Grant[] {
  if (rules.length === 0) return [];
  const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name };
  return [
    { apiVersion, kind: "ClusterRole", metadata: { name }, rules },
    { apiVersion, kind: "ClusterRoleBinding", metadata: { name }, roleRef, subjects: subjectsIn(home) },
  ];
}

interface RoleOptions {
  readonly name: string;
  readonly rules: readonly PolicyRule[];
  /** The namespace of the account. */
  readonly home: string;
}

function grantIn(namespace: string, { name, rules, home }: RoleOptions): Grant[] {
  const metadata = { name, namespace };
  const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name };
  return [
    { apiVersion, kind: "Role", metadata, rules },
    { apiVersion, kind: "RoleBinding", metadata, roleRef, subjects: subjectsIn(home) },
  ];
}

const subjectsIn = (namespace: string) => [{ kind: "ServiceAccount", name, namespace }];
