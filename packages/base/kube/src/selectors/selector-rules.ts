import { faultsOfLabelKey, faultsOfLabelValue } from "@trivium/std";
import type { LabelRequirement } from "./selector.ts";
import { SelectorError } from "./selector-error.ts";

/** The requirement itself if it is a good one; its faults are told in the words of a kube-apiserver. */
export function checkRequirement(requirement: LabelRequirement): LabelRequirement {
  const { key, values } = requirement;
  const faults = [...faultsOfKey(key), ...faultsOfCount(requirement)];
  values.forEach((value, index) => {
    const found = faultsOfLabelValue(value);
    if (found.length > 0) faults.push(invalid(`values[${index}][${key}]`, value, found.join("; ")));
  });
  if (faults.length === 0) return requirement;
  throw new SelectorError(faults.length === 1 ? (faults[0] as string) : `[${faults.join(", ")}]`);
}

export function checkLabelKey(key: string): void {
  const [fault] = faultsOfKey(key);
  if (fault !== undefined) throw new SelectorError(fault);
}

function faultsOfKey(key: string): string[] {
  const found = faultsOfLabelKey(key);
  return found.length === 0 ? [] : [invalid("<nil>", key, found.join("; "))];
}

function faultsOfCount({ operator, values }: LabelRequirement): string[] {
  switch (operator) {
    case "in":
    case "notin":
      return values.length > 0
        ? []
        : [invalid("values", values, "for 'in', 'notin' operators, values set can't be empty")];
    case "=":
    case "==":
    case "!=":
      return values.length === 1
        ? []
        : [invalid("values", values, "exact-match compatibility requires one single value")];
    case "exists":
    case "!":
      return values.length === 0
        ? []
        : [invalid("values", values, "values set must be empty for exists and does not exist")];
    case "gt":
    case "lt":
      return faultsOfBound(values);
  }
}

function faultsOfBound(values: readonly string[]): string[] {
  const faults =
    values.length === 1 ? [] : [invalid("values", values, "for 'Gt', 'Lt' operators, exactly one value is required")];
  values.forEach((value, index) => {
    if (wholeNumber(value) !== undefined) return;
    faults.push(invalid(`values[${index}]`, value, "for 'Gt', 'Lt' operators, the value must be an integer"));
  });
  return faults;
}

/** 64 bit, as on a real server. */
export function wholeNumber(text: string): bigint | undefined {
  if (!/^[+-]?\d{1,20}$/.test(text)) return undefined;
  const value = BigInt(text.replace(/^\+/, ""));
  return BigInt.asIntN(64, value) === value ? value : undefined;
}

const invalid = (path: string, value: string | readonly string[], detail: string) =>
  `${path}: Invalid value: ${JSON.stringify(value)}: ${detail}`;
