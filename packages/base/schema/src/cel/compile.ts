import { assertNever, parseDurationNanos } from "@trivium/std";
import { faultOfPattern } from "../regex/index.ts";
import { compileComprehension } from "./comprehension.ts";
import { listCost, mapCost, priceOf } from "./cost.ts";
import { CompileError, type Expression, type Literal } from "./expression.ts";
import { type Overload, overloads } from "./library/index.ts";
import { elementAt, valueAt } from "./library/operators.ts";
import { fits, join, matching } from "./match.ts";
import type { Meter } from "./meter.ts";
import { bool, type CelType, dyn, formatType, simple, string } from "./types.ts";
import { CelError, List, Mapping, Optional, TypeValue, Uint, type Value } from "./values.ts";

/** What a rule runs on. Names bound by comprehensions are held by number. */
export interface Frame {
  readonly self: Value;
  readonly oldSelf: Value | undefined;
  readonly locals: Value[];
  readonly meter: Meter;
}

/** A checked expression, ready to run. */
export interface Code {
  readonly type: CelType;
  /** What running it may cost at worst. */
  readonly cost: number;
  readonly run: (frame: Frame) => Value;
}

/** The names an expression may use. */
export interface Scope {
  readonly self: CelType;
  /** Optional where a rule also runs on creation. */
  readonly oldSelf: CelType;
  readonly locals: readonly { readonly name: string; readonly type: CelType }[];
  /** Told when the expression asks for the old value. */
  readonly onOldSelf: () => void;
}

const typeNames: ReadonlySet<string> = new Set("int uint double bool string bytes list map null_type type".split(" "));

/** Checks the types of an expression and turns it into code with a price. Throws `CompileError`. */
export function compileExpression(expression: Expression, scope: Scope): Code {
  switch (expression.is) {
    case "literal":
      return compileLiteral(expression.value);
    case "name":
      return compileName(expression.name, expression.at, scope);
    case "select":
      return compileSelect(expression, scope);
    case "list":
      return compileList(expression.items, scope);
    case "map":
      return compileMap(expression.entries, scope);
    case "comprehension":
      return compileComprehension(expression, scope);
    case "call":
      return compileCall(expression, scope);
    default:
      return assertNever(expression);
  }
}

function compileLiteral(literal: Literal): Code {
  const value: Value =
    typeof literal === "object" && literal !== null && "uint" in literal ? new Uint(literal.uint) : literal;
  const type: CelType = {
    ...typeOfLiteral(value),
    most: typeof value === "string" ? [...value].length : value instanceof Uint8Array ? value.length : 1,
  };
  return { type, cost: 0, run: () => value };
}

function typeOfLiteral(value: Value): CelType {
  if (value === null) return simple("null_type");
  if (typeof value === "boolean") return bool;
  if (typeof value === "bigint") return simple("int");
  if (typeof value === "number") return simple("double");
  if (typeof value === "string") return string;
  return simple(value instanceof Uint ? "uint" : "bytes");
}

function compileName(name: string, at: number, scope: Scope): Code {
  const index = scope.locals.findLastIndex((local) => local.name === name);
  if (index >= 0) {
    return readCode(scope.locals[index]?.type as CelType, ({ locals }) => locals[index] as Value);
  }
  if (name === "self") return readCode(scope.self, ({ self }) => self);
  if (name === "oldSelf") {
    scope.onOldSelf();
    return readCode(scope.oldSelf, ({ oldSelf }) => oldSelf ?? null);
  }
  if (typeNames.has(name)) return { type: simple("type"), cost: 1, run: () => new TypeValue(name) };
  throw new CompileError(`undeclared reference to '${name}' (in container '')`, at);
}

function readCode(type: CelType, read: (frame: Frame) => Value): Code {
  const run = (frame: Frame) => {
    frame.meter.spend(1);
    return read(frame);
  };
  return { type, cost: 1, run };
}

function compileSelect(expression: Expression & { is: "select" }, scope: Scope): Code {
  const { field, mode, at } = expression;
  const operand = compileExpression(expression.of, scope);
  const isOptional = operand.type.is === "optional";
  const of = operand.type.is === "optional" ? operand.type.of : operand.type;
  const type = fieldType(of, field, at);
  const isPaid = mode !== "test" && (of.is === "map" || of.is === "object");
  const cost = operand.cost + (isPaid ? 1 : 0);
  const read = (frame: Frame) => {
    const target = operand.run(frame);
    frame.meter.spend(1);
    return target instanceof Optional ? target.value : target;
  };
  if (mode === "test") return { type: bool, cost, run: (frame) => hasField(read(frame), field) };
  if (mode === "optional" || isOptional) {
    return { type: { is: "optional", of: type }, cost, run: (frame) => new Optional(readField(read(frame), field)) };
  }
  return { type, cost, run: (frame) => fieldOf(read(frame), field) };
}

function fieldType(of: CelType, field: string, at: number): CelType {
  if (of.is === "dyn") return dyn;
  if (of.is === "map") return of.value;
  if (of.is !== "object") throw new CompileError(`type '${formatType(of)}' does not support field selection`, at);
  const found = of.fields().get(field);
  if (found === undefined) throw new CompileError(`undefined field '${field}'`, at);
  return found.type;
}

function readField(target: Value | undefined, field: string): Value | undefined {
  return target instanceof Mapping ? target.get(field) : undefined;
}

function fieldOf(target: Value | undefined, field: string): Value {
  if (!(target instanceof Mapping)) throw new CelError("no such overload");
  return valueAt(target, field);
}

function hasField(target: Value | undefined, field: string): boolean {
  if (target === undefined) return false;
  if (!(target instanceof Mapping)) throw new CelError("no such overload");
  return target.get(field) !== undefined;
}

function compileList(items: readonly Expression[], scope: Scope): Code {
  const codes = items.map((item) => compileExpression(item, scope));
  return listCode(codes, commonType(codes, items));
}

const compileMixedList = (items: readonly Expression[], scope: Scope): Code =>
  listCode(
    items.map((item) => compileExpression(item, scope)),
    dyn,
  );

function listCode(codes: readonly Code[], of: CelType): Code {
  const type: CelType = { is: "list", of, most: codes.length };
  const run = (frame: Frame) => {
    frame.meter.spend(codes.length + 1);
    return List.of(codes.map((code) => code.run(frame)));
  };
  return { type, cost: listCost + total(codes), run };
}

function compileMap(entries: readonly (readonly [Expression, Expression])[], scope: Scope): Code {
  const keys = entries.map(([key]) => compileExpression(key, scope));
  const values = entries.map(([, value]) => compileExpression(value, scope));
  const key = commonType(
    keys,
    entries.map(([one]) => one),
  );
  const value = commonType(
    values,
    entries.map(([, one]) => one),
  );
  const run = (frame: Frame) => {
    frame.meter.spend(keys.length + 1);
    return Mapping.of(keys.map((code, index) => [code.run(frame), (values[index] as Code).run(frame)] as const));
  };
  return { type: { is: "map", key, value, most: entries.length }, cost: mapCost + total(keys) + total(values), run };
}

const total = (codes: readonly Code[]) => codes.reduce((sum, code) => sum + code.cost, 0);

/** Lists and maps hold values of one type. */
function commonType(codes: readonly Code[], items: readonly Expression[]): CelType {
  let common: CelType = { is: "param", name: "T" };
  for (const [index, code] of codes.entries()) {
    const next = join(common, code.type);
    if (next === undefined) {
      const words = `expected type '${formatType(common)}' but found '${formatType(code.type)}'`;
      throw new CompileError(words, items[index]?.at ?? 0);
    }
    common = next;
  }
  return common;
}

function compileCall(call: Expression & { is: "call" }, scope: Scope): Code {
  const parts = call.target === undefined ? call.args : [call.target, ...call.args];
  // What a text is formatted from may be of many types at once.
  const isFormat = call.name === "format" && call.target !== undefined;
  const args = parts.map((part) =>
    isFormat && part.is === "list" ? compileMixedList(part.items, scope) : compileExpression(part, scope),
  );
  switch (call.name) {
    case "_&&_":
    case "_||_":
      return compileLogic(call, args);
    case "_?_:_":
      return compileChoice(call, args);
    case "_[?_]":
      return compileOptionalIndex(call, args);
  }
  checkLiterals(call);
  const isMethod = call.target !== undefined;
  const candidates = (overloads.get(call.name) ?? []).filter((overload) => overload.isMethod === isMethod);
  if (candidates.length === 0)
    throw new CompileError(`undeclared reference to '${call.name}' (in container '')`, call.at);
  const types = args.map((arg) => arg.type);
  const found = matching(candidates, types);
  if (found.length === 0) throw noMatch(call, types);
  return callCode(call.name, args, found);
}

function noMatch(call: Expression & { is: "call" }, types: readonly CelType[]): CompileError {
  const shown = types.map(formatType);
  const applied = call.target === undefined ? `(${shown.join(", ")})` : `${shown[0]}.(${shown.slice(1).join(", ")})`;
  return new CompileError(`found no matching overload for '${call.name}' applied to '${applied}'`, call.at);
}

function callCode(
  name: string,
  args: readonly Code[],
  found: readonly { overload: Overload; result: CelType }[],
): Code {
  const types = args.map((arg) => arg.type);
  const price = priceOf(name, types);
  const results = found.map(({ result }) => result);
  const result = results.reduce((a, b) => join(a, b) ?? dyn);
  const type = resultType(name, types, { result, size: price.size });
  const isCertain = found.length === 1 && !types.some(hasDyn);
  const only = found[0]?.overload as Overload;
  const run = (frame: Frame) => {
    frame.meter.spend(1);
    const values = args.map((arg) => arg.run(frame));
    const overload = isCertain ? only : found.find((one) => suits(one.overload, values))?.overload;
    if (overload === undefined) throw new CelError("no such overload");
    return overload.run(values, frame.meter);
  };
  return { type, cost: total(args) + price.cost, run };
}

/** An element of a list or map is as large as the schema says; other results as large as the price model says. */
function resultType(
  name: string,
  types: readonly CelType[],
  found: { result: CelType; size: number | undefined },
): CelType {
  if (name === "_[_]") return found.result;
  if (name === "_+_" && types[0]?.is === "list") return { ...found.result, most: found.size } as CelType;
  const { most: _, ...bare } = found.result;
  return (found.size === undefined ? bare : { ...bare, most: found.size }) as CelType;
}

const hasDyn = (type: CelType): boolean =>
  type.is === "dyn" ||
  ((type.is === "list" || type.is === "optional") && hasDyn(type.of)) ||
  (type.is === "map" && (hasDyn(type.key) || hasDyn(type.value)));

const suits = (overload: Overload, values: readonly Value[]) =>
  overload.params.every((param, index) => fits(param, values[index] as Value));

/** One side may fail as long as the other decides. */
function compileLogic(call: Expression & { is: "call" }, args: readonly Code[]): Code {
  const [left, right] = args as [Code, Code];
  if (!args.every(({ type }) => type.is === "bool" || type.is === "dyn"))
    throw noMatch(
      call,
      args.map(({ type }) => type),
    );
  const decisive = call.name === "_||_";
  const run = (frame: Frame) => {
    const first = attempt(left, frame);
    if (first === decisive) return decisive;
    const second = attempt(right, frame);
    if (second === decisive) return decisive;
    for (const outcome of [first, second]) if (outcome instanceof CelError) throw outcome;
    return !decisive;
  };
  return { type: bool, cost: left.cost + right.cost, run };
}

/** The value, or the error that may yet be forgiven. Running out of budget never is. */
export function attempt(code: Code, frame: Frame): boolean | CelError {
  try {
    const value = code.run(frame);
    return typeof value === "boolean" ? value : new CelError("no such overload");
  } catch (error) {
    if (error instanceof CelError) return error;
    throw error;
  }
}

function compileChoice(call: Expression & { is: "call" }, args: readonly Code[]): Code {
  const [condition, yes, no] = args as [Code, Code, Code];
  const type = join(yes.type, no.type);
  if (type === undefined || (condition.type.is !== "bool" && condition.type.is !== "dyn")) {
    throw noMatch(
      call,
      args.map((arg) => arg.type),
    );
  }
  const run = (frame: Frame) => {
    const holds = condition.run(frame);
    if (typeof holds !== "boolean") throw new CelError("no such overload");
    return holds ? yes.run(frame) : no.run(frame);
  };
  return { type, cost: condition.cost + Math.max(yes.cost, no.cost), run };
}

function compileOptionalIndex(call: Expression & { is: "call" }, args: readonly Code[]): Code {
  const [target, index] = args as [Code, Code];
  const of = target.type.is === "optional" ? target.type.of : target.type;
  const element = of.is === "list" ? of.of : of.is === "map" ? of.value : of.is === "dyn" ? dyn : undefined;
  if (element === undefined) throw noMatch(call, [target.type, index.type]);
  const run = (frame: Frame) => {
    frame.meter.spend(1);
    const found = target.run(frame);
    const container = found instanceof Optional ? found.value : found;
    const key = index.run(frame);
    if (container instanceof Mapping) return new Optional(container.get(key));
    if (!(container instanceof List) || typeof key !== "bigint") return Optional.none;
    return key < 0n || key >= BigInt(container.size) ? Optional.none : new Optional(elementAt(container, key));
  };
  return { type: { is: "optional", of: element }, cost: target.cost + index.cost + 1, run };
}

/** Literals that could never work are refused at once. */
function checkLiterals(call: Expression & { is: "call" }): void {
  const last = call.args[call.args.length - 1];
  if (last?.is !== "literal" || typeof last.value !== "string") return;
  const isWrong =
    (call.name === "matches" && faultOfPattern(last.value) !== undefined) ||
    (call.name === "duration" && parseDurationNanos(last.value) === undefined) ||
    (call.name === "timestamp" && Number.isNaN(Date.parse(last.value)));
  if (isWrong) throw new CompileError(`invalid ${call.name} argument`, last.at);
}
