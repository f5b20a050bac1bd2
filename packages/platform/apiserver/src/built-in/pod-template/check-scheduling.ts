import type { api } from "@trivium/kube";
import { duplicate, type FieldError, forbidden, invalid, required } from "@trivium/schema";
import { append, faultsOfDnsSubdomain, faultsOfLabelKey, faultsOfLabelValue } from "@trivium/std";
import { checkOperator, checkSelector } from "../checks/labels.ts";
import { between, dnsLabel, dnsSubdomain, invalidFor, oneOf, positive } from "../checks/values.ts";

export function checkAffinity(at: string, affinity: api.Affinity | undefined): FieldError[] {
  if (affinity === undefined) return [];
  const { nodeAffinity, podAffinity, podAntiAffinity } = affinity;
  return [
    ...(nodeAffinity ? checkNodeAffinity(`${at}.nodeAffinity`, nodeAffinity) : []),
    ...(podAffinity ? checkPodAffinity(`${at}.podAffinity`, podAffinity) : []),
    ...(podAntiAffinity ? checkPodAffinity(`${at}.podAntiAffinity`, podAntiAffinity) : []),
  ];
}

const must = "requiredDuringSchedulingIgnoredDuringExecution";
const should = "preferredDuringSchedulingIgnoredDuringExecution";
const weightRange = "must be in the range 1-100";

function checkNodeAffinity(at: string, affinity: api.NodeAffinity): FieldError[] {
  const requests = affinity[should] ?? [];
  return [
    ...(affinity[must] ? checkNodeSelector(`${at}.${must}`, affinity[must]) : []),
    ...requests.flatMap(({ weight, preference }, index) => [
      ...checkWeight(`${at}.${should}[${index}]`, weight),
      ...checkTerm(`${at}.${should}[${index}].preference`, preference),
    ]),
  ];
}

export function checkNodeSelector(at: string, { nodeSelectorTerms }: api.NodeSelector): FieldError[] {
  const terms = nodeSelectorTerms ?? [];
  if (terms.length === 0) return [required(`${at}.nodeSelectorTerms`, "must have at least one node selector term")];
  return terms.flatMap((term, index) => checkTerm(`${at}.nodeSelectorTerms[${index}]`, term));
}

const checkWeight = (at: string, weight: number): FieldError[] =>
  between(`${at}.weight`, weight, [1, 100]).map((fault) => ({ ...fault, detail: weightRange }));

function checkTerm(at: string, { matchExpressions, matchFields }: api.NodeSelectorTerm): FieldError[] {
  return [
    ...(matchExpressions ?? []).flatMap((one, index) => checkNodeExpression(`${at}.matchExpressions[${index}]`, one)),
    ...(matchFields ?? []).flatMap((one, index) => checkNodeField(`${at}.matchFields[${index}]`, one)),
  ];
}

function checkNodeExpression(at: string, { key, operator, values = [] }: api.NodeSelectorRequirement): FieldError[] {
  const isOrder = operator === "Gt" || operator === "Lt";
  const single = "must be specified single value when `operator` is 'Lt' or 'Gt'";
  const count = isOrder
    ? values.length === 1
      ? []
      : [required(`${at}.values`, single)]
    : checkOperator(at, operator, values);
  return [
    ...count,
    ...invalidFor(`${at}.key`, key, faultsOfLabelKey(key)),
    ...values.flatMap((value, index) => invalidFor(`${at}.values[${index}]`, value, faultsOfLabelValue(value))),
  ];
}

function checkNodeField(at: string, { key, operator, values = [] }: api.NodeSelectorRequirement): FieldError[] {
  const faults: FieldError[] = [];
  if (operator !== "In" && operator !== "NotIn") {
    faults.push(invalid(`${at}.operator`, operator, "not a valid selector operator"));
  } else if (values.length !== 1) {
    faults.push(
      required(`${at}.values`, "must be only one value when `operator` is 'In' or 'NotIn' for node field selector"),
    );
  }
  if (key !== "metadata.name") return [...faults, invalid(`${at}.key`, key, "not a valid field selector key")];
  return [
    ...faults,
    ...values.flatMap((value, index) => invalidFor(`${at}.values[${index}]`, value, faultsOfDnsSubdomain(value))),
  ];
}

function checkPodAffinity(at: string, affinity: api.PodAffinity): FieldError[] {
  return [
    ...(affinity[must] ?? []).flatMap((term, index) => checkPodTerm(`${at}.${must}[${index}]`, term)),
    ...(affinity[should] ?? []).flatMap(({ weight, podAffinityTerm }, index) => [
      ...checkWeight(`${at}.${should}[${index}]`, weight),
      ...checkPodTerm(`${at}.${should}[${index}].podAffinityTerm`, podAffinityTerm),
    ]),
  ];
}

function checkPodTerm(at: string, term: api.PodAffinityTerm): FieldError[] {
  const { topologyKey } = term;
  return [
    ...checkSelector(`${at}.labelSelector`, term.labelSelector),
    ...checkSelector(`${at}.namespaceSelector`, term.namespaceSelector),
    ...(topologyKey ? [] : [required(`${at}.topologyKey`, "can not be empty")]),
    ...invalidFor(`${at}.topologyKey`, topologyKey, faultsOfLabelKey(topologyKey)),
  ];
}

const effects = ["NoSchedule", "PreferNoSchedule", "NoExecute"];
const matchesAll = 'operator must be Exists when `key` is empty, which means "match all values and all keys"';

export function checkTolerations(at: string, tolerations: readonly api.Toleration[] = []): FieldError[] {
  return tolerations.flatMap((toleration, index) => {
    const here = `${at}[${index}]`;
    const { key = "", operator = "", value = "", effect = "", tolerationSeconds } = toleration;
    const faults = [...(key ? invalidFor(`${here}.key`, key, faultsOfLabelKey(key)) : [])];
    if (!key && operator !== "Exists") faults.push(invalid(`${here}.operator`, operator, matchesAll));
    if (tolerationSeconds !== undefined && effect !== "NoExecute") {
      faults.push(invalid(`${here}.effect`, effect, "effect must be 'NoExecute' when `tolerationSeconds` is set"));
    }
    return [
      ...faults,
      ...checkTolerationValue(here, operator, value),
      ...(effect ? oneOf(`${here}.effect`, effect, effects) : []),
    ];
  });
}

function checkTolerationValue(at: string, operator: string, value: string): FieldError[] {
  switch (operator) {
    case "":
    case "Equal": {
      const faults = faultsOfLabelValue(value);
      return faults.length === 0 ? [] : [invalid(`${at}.operator`, value, faults.join(";"))];
    }
    case "Exists":
      return value === "" ? [] : [invalid(`${at}.operator`, value, "value must be empty when `operator` is 'Exists'")];
    default:
      return oneOf(`${at}.operator`, operator, ["Equal", "Exists"]);
  }
}

export function checkSpread(at: string, constraints: readonly api.TopologySpreadConstraint[] = []): FieldError[] {
  return constraints.flatMap((constraint, index) => {
    const here = `${at}[${index}]`;
    const { maxSkew, topologyKey, whenUnsatisfiable, minDomains } = constraint;
    const isRepeated = constraints
      .slice(index + 1)
      .some((other) => other.topologyKey === topologyKey && other.whenUnsatisfiable === whenUnsatisfiable);
    return [
      ...aboveZero(`${here}.maxSkew`, maxSkew),
      ...(topologyKey ? [] : [required(`${here}.topologyKey`, "can not be empty")]),
      ...(topologyKey ? invalidFor(`${here}.topologyKey`, topologyKey, faultsOfLabelKey(topologyKey)) : []),
      ...oneOf(`${here}.whenUnsatisfiable`, whenUnsatisfiable, ["DoNotSchedule", "ScheduleAnyway"]),
      ...(isRepeated
        ? [duplicate(`${here}.{topologyKey, whenUnsatisfiable}`, `{${topologyKey}, ${whenUnsatisfiable}}`)]
        : []),
      ...aboveZero(`${here}.minDomains`, minDomains),
      ...(minDomains !== undefined && whenUnsatisfiable !== "DoNotSchedule"
        ? [
            invalid(
              `${here}.minDomains`,
              minDomains,
              "can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ScheduleAnyway",
            ),
          ]
        : []),
      ...oneOf(`${here}.nodeAffinityPolicy`, constraint.nodeAffinityPolicy, ["Honor", "Ignore"]),
      ...oneOf(`${here}.nodeTaintsPolicy`, constraint.nodeTaintsPolicy, ["Honor", "Ignore"]),
      ...checkSelector(`${here}.labelSelector`, constraint.labelSelector),
    ];
  });
}

const aboveZero = (at: string, value: number | undefined): FieldError[] =>
  positive(at, value).map((fault) => ({ ...fault, detail: "must be greater than zero" }));

export function checkResourceClaims(at: string, claims: readonly api.PodResourceClaim[] = []): FieldError[] {
  const names = new Set<string>();
  return claims.flatMap((claim, index) => {
    const here = `${at}[${index}]`;
    const faults = claim.name ? dnsLabel(`${here}.name`, claim.name) : [required(`${here}.name`)];
    if (names.has(claim.name)) faults.push(duplicate(`${here}.name`, claim.name));
    names.add(claim.name);
    const both = claim.resourceClaimName !== undefined && claim.resourceClaimTemplateName !== undefined;
    const neither = claim.resourceClaimName === undefined && claim.resourceClaimTemplateName === undefined;
    const reported = {
      Name: claim.name,
      ResourceClaimName: claim.resourceClaimName ?? null,
      ResourceClaimTemplateName: claim.resourceClaimTemplateName ?? null,
    };
    if (both)
      faults.push(
        invalid(here, reported, "at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified"),
      );
    if (neither)
      faults.push(invalid(here, reported, "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`"));
    for (const field of ["resourceClaimName", "resourceClaimTemplateName"] as const) {
      const name = claim[field];
      if (name !== undefined) append(faults, dnsSubdomain(`${here}.${field}`, name));
    }
    return faults;
  });
}

/** Existing tolerations stay as they are, apart from how long they last; new ones may come. */
export function checkTolerationsKept(
  at: string,
  next: readonly api.Toleration[] = [],
  old: readonly api.Toleration[] = [],
): FieldError[] {
  const keyOf = ({ tolerationSeconds: _, ...rest }: api.Toleration): string =>
    [rest.key, rest.operator, rest.value, rest.effect].map((part) => part ?? "").join("\n");
  const kept = new Set(next.map(keyOf));
  if (old.every((one) => kept.has(keyOf(one)))) return checkTolerations(at, next);
  return [forbidden(at, "existing toleration can not be modified except its tolerationSeconds")];
}
