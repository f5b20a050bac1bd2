import { assertNever } from "@trivium/std";
import { compileCall } from "./call.ts";
import { type Code, type Frame, type Scope, total } from "./code.ts";
import { compileComprehension } from "./comprehension.ts";
import { listCost, mapCost } from "./cost.ts";
import { CompileError, type Expression, type Literal } from "./expression.ts";
import { valueAt } from "./library/operators.ts";
import { join } from "./match.ts";
import { bool, type CelType, dyn, formatType, simple, string } from "./types.ts";
import { List, Mapping, NoOverload, Optional, TypeValue, Uint, type Value } from "./values.ts";

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
      return compileComprehension(expression, scope, compileExpression);
    case "call":
      return compileCall(expression, compileArguments(expression, scope));
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
  if (!(target instanceof Mapping)) throw new NoOverload();
  return valueAt(target, field);
}

function hasField(target: Value | undefined, field: string): boolean {
  if (target === undefined) return false;
  if (!(target instanceof Mapping)) throw new NoOverload();
  return target.get(field) !== undefined;
}

function compileList(items: readonly Expression[], scope: Scope): Code {
  const codes = items.map((item) => compileExpression(item, scope));
  return listCode(codes, commonType(codes, items));
}

function compileArguments({ name, target, args }: Expression & { is: "call" }, scope: Scope): Code[] {
  const parts = target === undefined ? args : [target, ...args];
  const isFormat = name === "format" && target !== undefined;
  return parts.map((part) =>
    isFormat && part.is === "list" ? compileMixedList(part.items, scope) : compileExpression(part, scope),
  );
}

/** What a text is formatted from may be of many types at once. */
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
