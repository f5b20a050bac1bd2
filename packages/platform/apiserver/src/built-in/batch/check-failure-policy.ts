import type { api } from "@trivium/kube";
import { duplicate, type FieldError, invalid, notSupported, required } from "@trivium/schema";
import { qualifiedName } from "../checks/values.ts";

const actions = ["Count", "FailIndex", "FailJob", "Ignore"];
const quoted = (values: readonly string[]): string =>
  `valid values: [${values.map((value) => `"${value}"`).join(" ")}]`;

/** How a Job takes the ends of its pods: by exit code or by condition, each rule one of the two. */
export function checkFailurePolicy(at: string, spec: api.JobSpec): FieldError[] {
  const pod = spec.template.spec;
  const names = [...(pod?.containers ?? []), ...(pod?.initContainers ?? [])].map((container) => container.name);
  return (spec.podFailurePolicy?.rules ?? []).flatMap((rule, index) => {
    const here = `${at}.rules[${index}]`;
    return [
      ...checkAction(`${here}.action`, rule.action, spec.backoffLimitPerIndex !== undefined),
      ...(rule.onExitCodes ? checkExitCodes(`${here}.onExitCodes`, rule.onExitCodes, names) : []),
      ...(rule.onPodConditions ?? []).flatMap((pattern, other) =>
        checkPattern(`${here}.onPodConditions[${other}]`, pattern),
      ),
      ...checkChoice(here, rule),
    ];
  });
}

function checkAction(at: string, action: string, countsPerIndex: boolean): FieldError[] {
  if (!action) return [required(at, quoted(actions))];
  if (action === "FailIndex")
    return countsPerIndex ? [] : [invalid(at, action, "requires the backoffLimitPerIndex to be set")];
  return actions.includes(action) ? [] : [notSupported(at, action, actions)];
}

function checkChoice(at: string, rule: api.PodFailurePolicyRule): FieldError[] {
  const byCode = rule.onExitCodes !== undefined;
  const byCondition = (rule.onPodConditions ?? []).length > 0;
  if (byCode !== byCondition) return [];
  const detail = byCode
    ? "specifying both OnExitCodes and OnPodConditions is not supported"
    : "specifying one of OnExitCodes and OnPodConditions is required";
  return [{ reason: "FieldValueInvalid", field: at, detail }];
}

const operators = ["In", "NotIn"];

function checkExitCodes(
  at: string,
  codes: api.PodFailurePolicyOnExitCodesRequirement,
  names: readonly string[],
): FieldError[] {
  const { operator, containerName, values = [] } = codes;
  const faults: FieldError[] = [];
  if (!operator) faults.push(required(`${at}.operator`, quoted(operators)));
  else if (!operators.includes(operator)) faults.push(notSupported(`${at}.operator`, operator, operators));
  if (containerName !== undefined && !names.includes(containerName)) {
    const detail = "must be one of the container or initContainer names in the pod template";
    faults.push(invalid(`${at}.containerName`, containerName, detail));
  }
  if (values.length === 0) faults.push(invalid(`${at}.values`, null, "at least one value is required"));
  for (const [index, value] of values.entries()) {
    const here = `${at}.values[${index}]`;
    if (operator === "In" && value === 0) faults.push(invalid(here, value, "must not be 0 for the In operator"));
    if (values.indexOf(value) < index) faults.push(duplicate(here, value));
  }
  const isOrdered = values.every((value, index) => index === 0 || (values[index - 1] ?? 0) <= value);
  return isOrdered ? faults : [...faults, invalid(`${at}.values`, [...values], "must be ordered")];
}

const statuses = ["False", "True", "Unknown"];

function checkPattern(at: string, { type, status }: api.PodFailurePolicyOnPodConditionsPattern): FieldError[] {
  const isKnown = status !== undefined && statuses.includes(status);
  return [
    ...qualifiedName(`${at}.type`, type),
    ...(isKnown ? [] : [notSupported(`${at}.status`, status ?? "", statuses)]),
  ];
}
