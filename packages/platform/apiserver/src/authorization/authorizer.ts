import type { api } from "@trivium/kube";
import { type Identity, isPrivileged } from "../identity.ts";
import type { Store } from "../store/store.ts";
import type { Attributes } from "./attributes.ts";
import { refuseAccess } from "./forbid.ts";
import { allows } from "./match-rule.ts";
import { createPolicy, type Policy } from "./policy.ts";

export interface Decision {
  readonly allowed: boolean;
  /** Which binding allows it, or which roles were not found; "" where there is nothing to add. */
  readonly reason: string;
}

/** Role-based access control over what is stored. */
export interface Authorizer {
  decide(identity: Identity, asked: Attributes): Decision;
  /** Throws the 403 of a real server unless it is allowed. */
  demand(identity: Identity, asked: Attributes): void;
  /** All rules that a caller has in a namespace. */
  rulesOf(identity: Identity, namespace: string): api.PolicyRule[];
  readonly policy: Policy;
}

export function createAuthorizer(store: Store): Authorizer {
  const policy = createPolicy(store);
  const decide: Authorizer["decide"] = (identity, asked) => {
    if (isPrivileged(identity)) return { allowed: true, reason: "" };
    const { grants, missing } = policy.grantsOf(identity, asked.is === "path" ? "" : asked.namespace);
    for (const { rule, source } of grants)
      if (allows(rule, asked)) return { allowed: true, reason: `RBAC: allowed by ${source}` };
    return { allowed: false, reason: missing.length === 0 ? "" : `RBAC: ${joined(missing)}` };
  };
  return {
    policy,
    decide,
    demand: (identity, asked) => {
      const { allowed, reason } = decide(identity, asked);
      if (!allowed) throw refuseAccess(identity, asked, reason);
    },
    rulesOf: (identity, namespace) => Array.from(policy.grantsOf(identity, namespace).grants, ({ rule }) => rule),
  };
}

const joined = (texts: readonly string[]): string => {
  const each = [...new Set(texts)];
  return each.length === 1 ? (each[0] as string) : `[${each.join(", ")}]`;
};
