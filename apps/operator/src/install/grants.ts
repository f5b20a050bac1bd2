import type { PolicyRule } from "@trivium/runtime";
import { both, not, type Settings } from "./chart-values.ts";
import { labelsOf } from "./pod.ts";
import type { Open, Part, Value } from "./value.ts";

const apiVersion = "rbac.authorization.k8s.io/v1";
const apiGroup = "rbac.authorization.k8s.io";

export interface Grant {
  readonly file: string;
  readonly when?: Value;
  /** The account, and the part of the name that all objects of the grant share. */
  readonly component: string;
  readonly name: string;
  readonly rules: readonly PolicyRule[] | Value;
  /** Where the rules hold; everywhere when left out. */
  readonly within?: Value;
  /** The namespace of the account; that of the release when left out. */
  readonly home?: Value;
}

/** A role with exactly these rules, and who has it. */
export function grant(s: Settings, { file, when, component, name, rules, within, home }: Grant): Part[] {
  const kind = within === undefined ? "ClusterRole" : "Role";
  const place = within === undefined ? {} : { namespace: within };
  const metadata = { name: s.name(name), ...place, labels: labelsOf(component) };
  const subject = { kind: "ServiceAccount", name: s.name(component), namespace: home ?? s.namespace };
  const condition = when === undefined ? {} : { when };
  return [
    { file, ...condition, object: { apiVersion, kind, metadata, rules: rules as unknown as Open } },
    {
      file,
      ...condition,
      object: {
        apiVersion,
        kind: `${kind}Binding`,
        metadata,
        roleRef: { apiGroup, kind, name: s.name(name) },
        subjects: [subject],
      },
    },
  ];
}

/** Rights to namespaced kinds: everywhere, or with one namespace only there. */
export function grantInScope(s: Settings, wanted: Grant & { readonly when: Value }): Part[] {
  const within = s.value("namespace");
  return [
    ...grant(s, { ...wanted, when: both(wanted.when, not(s.hasNamespace())) }),
    ...grant(s, { ...wanted, when: both(wanted.when, s.hasNamespace()), within }),
  ];
}
