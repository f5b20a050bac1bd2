import { type api, matchesLabels, SelectorError, selectorOf } from "@trivium/kube";
import { type FieldError, forbidden, invalid, required, tooLong } from "@trivium/schema";
import { faultsOfLabelKey, faultsOfLabelValue, faultsOfQualifiedName } from "@trivium/std";
import { invalidFor } from "./values.ts";

const annotationsLimit = 256 * 1024;

export function checkLabels(at: string, labels: Readonly<Record<string, string>> | undefined): FieldError[] {
  return Object.entries(labels ?? {}).flatMap(([key, value]) => [
    ...invalidFor(at, key, faultsOfLabelKey(key)),
    ...invalidFor(at, value, faultsOfLabelValue(value)),
  ]);
}

export function checkAnnotations(at: string, annotations: Readonly<Record<string, string>> | undefined): FieldError[] {
  const faults = Object.keys(annotations ?? {}).flatMap((key) =>
    invalidFor(at, key, faultsOfQualifiedName(key.toLowerCase())),
  );
  const size = Object.entries(annotations ?? {}).reduce((sum, [key, value]) => sum + key.length + value.length, 0);
  return size > annotationsLimit ? [...faults, tooLong(at, annotationsLimit)] : faults;
}

export function checkSelector(at: string, selector: api.LabelSelector | undefined): FieldError[] {
  return [
    ...checkLabels(`${at}.matchLabels`, selector?.matchLabels),
    ...(selector?.matchExpressions ?? []).flatMap((one, index) =>
      checkExpression(`${at}.matchExpressions[${index}]`, one),
    ),
  ];
}

function checkExpression(at: string, { key, operator, values = [] }: api.LabelSelectorRequirement): FieldError[] {
  return [
    ...checkOperator(at, operator, values),
    ...invalidFor(`${at}.key`, key, faultsOfLabelKey(key)),
    ...values.flatMap((value, index) => invalidFor(`${at}.values[${index}]`, value, faultsOfLabelValue(value))),
  ];
}

/** How many values each operator of a selector takes. */
export function checkOperator(at: string, operator: string, values: readonly string[]): FieldError[] {
  switch (operator) {
    case "In":
    case "NotIn":
      return values.length > 0
        ? []
        : [required(`${at}.values`, "must be specified when `operator` is 'In' or 'NotIn'")];
    case "Exists":
    case "DoesNotExist":
      if (values.length === 0) return [];
      return [forbidden(`${at}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")];
    default:
      return [invalid(`${at}.operator`, operator, "not a valid selector operator")];
  }
}

/** Whether a selector of the API selects labels; undefined when it is none, which `checkSelector` has then said. */
export function selects(
  selector: api.LabelSelector | undefined,
  labels: Readonly<Record<string, string>> | undefined,
): boolean | undefined {
  try {
    return matchesLabels(selectorOf(selector), labels);
  } catch (error) {
    if (error instanceof SelectorError) return undefined;
    throw error;
  }
}

export const isEmptySelector = (selector: api.LabelSelector): boolean =>
  Object.keys(selector.matchLabels ?? {}).length + (selector.matchExpressions ?? []).length === 0;
