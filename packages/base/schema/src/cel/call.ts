import { parseDurationNanos } from "@trivium/std";
import { faultOfPattern } from "../regex/index.ts";
import { attempt, type Code, type Frame, total } from "./code.ts";
import { priceOf } from "./cost.ts";
import { CompileError, type Expression } from "./expression.ts";
import { type Overload, overloads } from "./library/index.ts";
import { elementAt } from "./library/operators.ts";
import { fits, join, matching } from "./match.ts";
import { bool, type CelType, dyn, formatType } from "./types.ts";
import { CelError, List, Mapping, NoOverload, Optional, type Value } from "./values.ts";

/** A call of a function or operator with its target and arguments: which overload is meant, what it costs, and how it runs. */
export function compileCall(call: Expression & { is: "call" }, args: readonly Code[]): Code {
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
    if (overload === undefined) throw new NoOverload();
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
    if (typeof holds !== "boolean") throw new NoOverload();
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
