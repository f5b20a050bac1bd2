import type { Json } from "@trivium/std";

export type JsonPath = readonly Step[];
export type FilterOperator = "exists" | "==" | "!=" | "<" | "<=" | ">" | ">=";
export type Operand =
  | { readonly is: "literal"; readonly value: Json }
  | { readonly is: "path"; readonly steps: JsonPath };

export type Step =
  | { readonly is: "field"; readonly name: string }
  | { readonly is: "wildcard" }
  | { readonly is: "recursive" }
  /** `to` is "next" for a plain index: one item. */
  | {
      readonly is: "slice";
      readonly from: number | undefined;
      readonly to: number | "next" | undefined;
      readonly step: number;
    }
  | { readonly is: "union"; readonly members: readonly JsonPath[] }
  | { readonly is: "filter"; readonly left: Operand; readonly operator: FilterOperator; readonly right: Operand };

/** A path that cannot be read. The message is for the person who wrote it. */
export class JsonPathError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "JsonPathError";
  }
}

/** Reads one path: `.a.b`, `{.a.b}`, `$.a.b`, `a.b` and `@.a` all name the same. */
export function parseJsonPath(text: string): JsonPath {
  const trimmed = text.trim();
  const inner = trimmed.startsWith("{") && trimmed.endsWith("}") ? trimmed.slice(1, -1).trim() : trimmed;
  const bare = /^[.$@[]/.test(inner) ? inner : `.${inner}`;
  return parseSteps(bare, text);
}

function parseSteps(text: string, whole: string): JsonPath {
  const steps: Step[] = [];
  let at = 0;
  while (at < text.length) {
    const rest = text.slice(at);
    if (/^[$@\s]/.test(rest)) at++;
    else if (rest.startsWith("[?(")) at += filterInto(steps, rest, whole);
    else if (rest.startsWith("[")) at += bracketInto(steps, rest, whole);
    else if (rest.startsWith("..")) at += recursiveInto(steps, rest, whole);
    else if (rest.startsWith(".")) at += 1 + fieldInto(steps, rest.slice(1));
    else throw new JsonPathError(`unrecognized character in path ${whole}: ${JSON.stringify(rest[0])}`);
  }
  return steps;
}

/** Reads a field name up to the next dot, bracket or blank; a backslash keeps the character after it. */
function fieldInto(steps: Step[], rest: string): number {
  const [found = ""] = /^(?:\\[\s\S]|[^\s.,[\]$@{}\\])*/.exec(rest) ?? [];
  if (found === "*") steps.push({ is: "wildcard" });
  else if (found !== "") steps.push({ is: "field", name: withoutEscapes(found) });
  return found.length;
}

const withoutEscapes = (text: string) => text.replace(/\\([\s\S])/g, "$1");

function recursiveInto(steps: Step[], rest: string, whole: string): number {
  if (steps.at(-1)?.is === "recursive") throw new JsonPathError(`invalid multiple recursive descent in path ${whole}`);
  steps.push({ is: "recursive" });
  return 2 + fieldInto(steps, rest.slice(2));
}

function bracketInto(steps: Step[], rest: string, whole: string): number {
  const found = /^\[((?:'[^']*'|"[^"]*"|[^\]'"])*)\]/.exec(rest);
  if (found === null) throw new JsonPathError(`unterminated array in path ${whole}`);
  const members = splitMembers(found[1] as string).map((member) => parseMember(member, whole));
  if (members.length === 1) steps.push(members[0] as Step);
  else steps.push({ is: "union", members: members.map((member) => [member]) });
  return found[0].length;
}

const splitMembers = (text: string) =>
  (text.match(/(?:'[^']*'|"[^"]*"|[^,])+/g) ?? [""]).map((member) => member.trim());

function parseMember(text: string, whole: string): Step {
  if (text === "*") return { is: "wildcard" };
  const quoted = /^'([^']*)'$|^"([^"]*)"$/.exec(text);
  if (quoted !== null) return { is: "field", name: withoutEscapes(quoted[1] ?? quoted[2] ?? "") };
  const range = /^(-?\d*)(:-?\d*)?(:-?\d*)?$/.exec(text);
  if (range === null || text === "" || text === "-")
    throw new JsonPathError(`invalid array index ${text} in path ${whole}`);
  const [, from = "", to, step = ""] = range;
  const size = numberOr(step.slice(1), 1) ?? 1;
  if (size <= 0) throw new JsonPathError(`step must be > 0 in path ${whole}`);
  return {
    is: "slice",
    from: numberOr(from, undefined),
    to: to === undefined ? "next" : numberOr(to.slice(1), undefined),
    step: size,
  };
}

function numberOr(text: string, otherwise: number | undefined): number | undefined {
  return /\d/.test(text) ? Number(text) : otherwise;
}

function filterInto(steps: Step[], rest: string, whole: string): number {
  const length = lengthOfFilter(rest);
  if (length === undefined) throw new JsonPathError(`unterminated filter in path ${whole}`);
  const text = rest.slice(3, length - 2);
  const found = operatorIn(text);
  if (found === undefined) {
    const always: Operand = { is: "literal", value: true };
    steps.push({ is: "filter", left: parseOperand(text, whole), operator: "exists", right: always });
    return length;
  }
  if (!isOperator(found.operator)) {
    throw new JsonPathError(`unrecognized filter operator ${found.operator} in path ${whole}`);
  }
  const left = parseOperand(text.slice(0, found.at), whole);
  const right = parseOperand(text.slice(found.at + found.operator.length), whole);
  steps.push({ is: "filter", left, operator: found.operator, right });
  return length;
}

/** The comparison of a filter; those inside quotes and brackets belong to its operands. */
function operatorIn(text: string): { at: number; operator: string } | undefined {
  let depth = 0;
  for (const { 0: found, index } of text.matchAll(/'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|[[\]]|[!<>=~]+/g)) {
    if (found === "[") depth++;
    else if (found === "]") depth--;
    else if (depth === 0 && /^[!<>=]/.test(found)) return { at: index, operator: found };
  }
  return undefined;
}

/** Up to the `)]` that closes a filter, past those inside quotes and inner filters. */
function lengthOfFilter(rest: string): number | undefined {
  let depth = 0;
  for (const found of rest.matchAll(/'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|\[\?\(|\)\]/g)) {
    if (found[0] === "[?(") depth++;
    if (found[0] === ")]" && --depth === 0) return found.index + 2;
  }
  return undefined;
}

const isOperator = (text: string): text is Exclude<FilterOperator, "exists"> => /^(==|!=|<|<=|>|>=)$/.test(text);

function parseOperand(text: string, whole: string): Operand {
  const trimmed = text.trim();
  const quoted = /^'((?:\\.|[^'\\])*)'$|^"((?:\\.|[^"\\])*)"$/.exec(trimmed);
  if (quoted !== null) return { is: "literal", value: withoutEscapes(quoted[1] ?? quoted[2] ?? "") };
  if (/^[+-]?\d+(\.\d+)?$/.test(trimmed)) return { is: "literal", value: Number(trimmed) };
  if (trimmed === "true" || trimmed === "false") return { is: "literal", value: trimmed === "true" };
  return { is: "path", steps: parseSteps(trimmed, whole) };
}
