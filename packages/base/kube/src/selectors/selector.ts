import { SelectorError } from "./selector-error.ts";
import { checkRequirement, wholeNumber } from "./selector-rules.ts";

export type LabelOperator = "in" | "notin" | "=" | "==" | "!=" | "gt" | "lt" | "exists" | "!";

export interface LabelRequirement {
  readonly key: string;
  readonly operator: LabelOperator;
  readonly values: readonly string[];
}

/** Requirements on labels, all of which must hold. None at all selects everything. */
export interface LabelSelector {
  readonly requirements: readonly LabelRequirement[];
  /** Set for the selector of an object that has none: it selects nothing. */
  readonly isNothing?: true;
}

/** `metav1.LabelSelector`, the form selectors have inside objects. */
export interface LabelSelectorObject {
  matchLabels?: Record<string, string> | undefined;
  matchExpressions?: { key: string; operator: string; values?: string[] | undefined }[] | undefined;
}

export const selectsEverything: LabelSelector = { requirements: [] };
export const selectsNothing: LabelSelector = { requirements: [], isNothing: true };

export function matchesLabels(selector: LabelSelector, labels: Readonly<Record<string, string>> | undefined): boolean {
  if (selector.isNothing) return false;
  for (const requirement of selector.requirements) if (!isMet(requirement, labels ?? {})) return false;
  return true;
}

function isMet({ key, operator, values }: LabelRequirement, labels: Readonly<Record<string, string>>): boolean {
  const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
  switch (operator) {
    case "in":
    case "=":
    case "==":
      return value !== undefined && values.includes(value);
    case "notin":
    case "!=":
      return value === undefined || !values.includes(value);
    case "exists":
      return value !== undefined;
    case "!":
      return value === undefined;
    case "gt":
    case "lt":
      return value !== undefined && isBeyond(value, values[0], operator);
  }
}

function isBeyond(value: string, limit: string | undefined, operator: "gt" | "lt"): boolean {
  const [left, right] = [wholeNumber(value), wholeNumber(limit ?? "")];
  if (left === undefined || right === undefined) return false;
  return operator === "gt" ? left > right : left < right;
}

const expressionOperators: Readonly<Record<string, LabelOperator>> = {
  In: "in",
  NotIn: "notin",
  Exists: "exists",
  DoesNotExist: "!",
};

/** The selector that an object carries. One that is left out selects nothing, an empty one everything. */
export function selectorOf(object: LabelSelectorObject | null | undefined): LabelSelector {
  if (object === undefined || object === null) return selectsNothing;
  const requirements = Object.entries(object.matchLabels ?? {}).map(([key, value]) =>
    checkRequirement({ key, operator: "=", values: [value] }),
  );
  for (const { key, operator, values } of object.matchExpressions ?? []) {
    const known = Object.hasOwn(expressionOperators, operator) ? expressionOperators[operator] : undefined;
    if (known === undefined) throw new SelectorError(`"${operator}" is not a valid label selector operator`);
    requirements.push(checkRequirement({ key, operator: known, values: values ?? [] }));
  }
  return { requirements: sortedByKey(requirements) };
}

export function sortedByKey(requirements: readonly LabelRequirement[]): LabelRequirement[] {
  return requirements.toSorted((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
}

/** The selector as text, as it stands in a query and in `status.selector` of a Scale. */
export function formatLabelSelector(selector: LabelSelector): string {
  return selector.requirements.map(formatRequirement).join(",");
}

function formatRequirement({ key, operator, values }: LabelRequirement): string {
  const joined = values.toSorted().join(",");
  switch (operator) {
    case "exists":
      return key;
    case "!":
      return `!${key}`;
    case "in":
    case "notin":
      return `${key} ${operator} (${joined})`;
    case "gt":
      return `${key}>${joined}`;
    case "lt":
      return `${key}<${joined}`;
    default:
      return `${key}${operator}${joined}`;
  }
}
