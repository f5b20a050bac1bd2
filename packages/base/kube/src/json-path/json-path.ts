import { deepEqual, isObject, type Json } from "@trivium/std";
import { type FilterOperator, type JsonPath, type Operand, parseJsonPath, type Step } from "./json-path-parser.ts";

const parsed = new Map<string, JsonPath>();

/**
 * What a path finds in an object, in kubectl's dialect (`.status.conditions[?(@.type=="Ready")].status`).
 * Nothing where the object has no such field, index or shape; only a path that cannot be read is a `JsonPathError`.
 */
export function evaluateJsonPath(path: string, object: Json): Json[] {
  let steps = parsed.get(path);
  if (steps === undefined) {
    steps = parseJsonPath(path);
    if (parsed.size >= 1000) parsed.clear();
    parsed.set(path, steps);
  }
  return evaluateSteps(steps, [object]);
}

export function evaluateSteps(steps: JsonPath, start: readonly Json[]): Json[] {
  let found = [...start];
  for (const step of steps) found = evaluateStep(step, found);
  return found;
}

/** A union gives all that its first member finds, then all of its second, whichever value they are in. */
function evaluateStep(step: Step, values: readonly Json[]): Json[] {
  if (step.is === "union") return step.members.flatMap((member) => evaluateSteps(member, values));
  return values.flatMap((value) => stepInto(step, value));
}

function stepInto(step: Exclude<Step, { is: "union" }>, value: Json): Json[] {
  switch (step.is) {
    case "field":
      return isObject(value) && Object.hasOwn(value, step.name) ? [value[step.name] as Json] : [];
    case "wildcard":
      return childrenOf(value);
    case "recursive":
      return descendantsOf(value);
    case "slice":
      return Array.isArray(value) ? slice(value, step) : [];
    case "filter":
      return Array.isArray(value) ? value.filter((item) => passes(step, item)) : [];
  }
}

function childrenOf(value: Json): Json[] {
  if (Array.isArray(value)) return value;
  return isObject(value) ? Object.values(value) : [];
}

/** The value and all below it that have something inside. */
function descendantsOf(value: Json): Json[] {
  const children = childrenOf(value);
  return children.length === 0 ? [] : [value, ...children.flatMap(descendantsOf)];
}

function slice(list: readonly Json[], { from, to, step }: Extract<Step, { is: "slice" }>): Json[] {
  const fromEnd = (index: number) => (index < 0 ? index + list.length : index);
  const start = fromEnd(from ?? 0);
  const end = to === "next" ? start + 1 : fromEnd(to ?? list.length);
  if (start < 0 || end > list.length) return [];
  const found: Json[] = [];
  for (let index = start; index < end; index += step) found.push(list[index] as Json);
  return found;
}

function passes({ left, operator, right }: Extract<Step, { is: "filter" }>, item: Json): boolean {
  const lefts = operandValues(left, item);
  if (operator === "exists") return lefts.length > 0;
  const rights = operandValues(right, item);
  if (lefts.length !== 1 || rights.length !== 1) return false;
  return compare(lefts[0] as Json, operator, rights[0] as Json);
}

function operandValues(operand: Operand, item: Json): Json[] {
  return operand.is === "literal" ? [operand.value] : evaluateSteps(operand.steps, [item]);
}

function compare(left: Json, operator: Exclude<FilterOperator, "exists">, right: Json): boolean {
  if (typeof left !== typeof right) return false;
  if (operator === "==") return deepEqual(left, right);
  if (operator === "!=") return !deepEqual(left, right);
  if (left === null || right === null || typeof left === "object" || typeof left === "boolean") return false;
  switch (operator) {
    case "<":
      return left < right;
    case "<=":
      return left <= right;
    case ">":
      return left > right;
    case ">=":
      return left >= right;
  }
}
