import { append } from "@trivium/std";
import { attempt, type Code, type Frame, type Scope } from "./code.ts";
import { listCost, mapCost, sizeOf, times } from "./cost.ts";
import { CompileError, type Comprehension, type Expression, type Macro } from "./expression.ts";
import { sorted } from "./library/lists.ts";
import { bool, type CelType, dyn, formatType, int } from "./types.ts";
import { CelError, List, Mapping, NoOverload, Optional, type Value } from "./values.ts";

/** Everything a comprehension is made of, checked. */
interface Loop {
  readonly macro: Macro;
  readonly range: Code;
  readonly filter: Code | undefined;
  readonly body: Code;
  /** Where the names of the loop are held. */
  readonly slot: number;
  readonly hasTwo: boolean;
}

/** `list.all(x, …)` and its kin, over elements, over keys, or over both keys and values. */
export function compileComprehension(
  expression: Comprehension,
  scope: Scope,
  compile: (part: Expression, scope: Scope) => Code,
): Code {
  const range = compile(expression.range, scope);
  const hasTwo = expression.second !== undefined;
  const [first, second] = variableTypes(expression, range.type);
  const locals = [...scope.locals, { name: expression.first, type: first }];
  if (expression.second !== undefined) locals.push({ name: expression.second, type: second });
  const inner: Scope = { ...scope, locals };
  const filter = expression.filter && compile(expression.filter, inner);
  const body = compile(expression.body, inner);
  const loop: Loop = { macro: expression.macro, range, filter, body, slot: scope.locals.length, hasTwo };
  const condition = isQuantifier(expression.macro) || expression.macro === "filter" ? body : filter;
  if (condition !== undefined && condition.type.is !== "bool" && condition.type.is !== "dyn") {
    throw new CompileError(`expected type 'bool' but found '${formatType(condition.type)}'`, expression.at);
  }
  return { type: resultOf(loop, first), cost: costOf(loop), run: runnerOf(loop) };
}

const isQuantifier = (macro: Macro) => macro === "all" || macro === "exists" || macro === "exists_one";
const isOptional = (macro: Macro) => macro === "optMap" || macro === "optFlatMap";

function variableTypes({ macro, second, range }: Comprehension, type: CelType): readonly [CelType, CelType] {
  if (type.is === "dyn") return [dyn, dyn];
  if (isOptional(macro) && type.is === "optional") return [type.of, dyn];
  if (!isOptional(macro) && type.is === "list")
    return second === undefined ? [type.of, dyn] : [{ ...int, most: 1 }, type.of];
  if (!isOptional(macro) && type.is === "map") return [type.key, type.value];
  const words = `expression of type '${formatType(type)}' cannot be range of a comprehension (must be list, map, or dynamic)`;
  throw new CompileError(words, range.at);
}

function resultOf({ macro, range, body }: Loop, element: CelType): CelType {
  const most = sizeOf(range.type);
  switch (macro) {
    case "all":
    case "exists":
    case "exists_one":
      return bool;
    case "filter":
    case "sortBy":
      return range.type.is === "list" ? range.type : { is: "list", of: element, most };
    case "map":
    case "transformList":
      return { is: "list", of: body.type, most };
    case "transformMap":
      return { is: "map", key: range.type.is === "map" ? range.type.key : int, value: body.type, most };
    case "transformMapEntry":
      return body.type.is === "map" ? { ...body.type, most } : dyn;
    case "optMap":
      return { is: "optional", of: body.type };
    case "optFlatMap":
      return body.type;
  }
}

/** What one round costs beside the expressions in it, and what the loop costs once. The numbers follow CEL's own expansions. */
const rounds: Readonly<Record<Macro, { readonly each: number; readonly once: number }>> = {
  all: { each: 3, once: 1 },
  exists: { each: 4, once: 1 },
  exists_one: { each: 2, once: 2 },
  map: { each: listCost + 2, once: listCost + 1 },
  transformList: { each: listCost + 2, once: listCost + 1 },
  filter: { each: listCost + 3, once: listCost + 1 },
  sortBy: { each: listCost + 2, once: listCost + 1 },
  transformMap: { each: 3, once: mapCost + 1 },
  transformMapEntry: { each: 2, once: mapCost + 1 },
  optMap: { each: 2, once: 2 },
  optFlatMap: { each: 2, once: 2 },
};

function costOf({ macro, range, filter, body }: Loop): number {
  const { each, once } = rounds[macro];
  const round = each + body.cost + (filter?.cost ?? 0);
  return range.cost + once + (isOptional(macro) ? round : times(sizeOf(range.type), round));
}

function runnerOf(loop: Loop): (frame: Frame) => Value {
  switch (loop.macro) {
    case "all":
      return quantifier(loop, false);
    case "exists":
      return quantifier(loop, true);
    case "exists_one":
      return (frame) => count(loop, frame) === 1;
    case "optMap":
    case "optFlatMap":
      return (frame) => mapOptional(loop, frame);
    case "filter":
      return (frame) => List.of(collect(loop, frame, (item) => (holds(loop.body, frame) ? [item] : [])));
    case "map":
    case "transformList":
      return (frame) => List.of(collect(loop, frame, () => (isWanted(loop, frame) ? [loop.body.run(frame)] : [])));
    case "transformMap":
      return (frame) =>
        Mapping.of(
          collect(loop, frame, (_, key) => (isWanted(loop, frame) ? [[key, loop.body.run(frame)] as const] : [])),
        );
    case "transformMapEntry":
      return (frame) =>
        Mapping.of(collect(loop, frame, () => (isWanted(loop, frame) ? entriesOf(loop.body.run(frame)) : [])));
    case "sortBy":
      return (frame) => sortBy(loop, frame);
  }
}

/** Binds the names to each element in turn; stops when `visit` says so. */
function forEach(loop: Loop, frame: Frame, visit: (item: Value, key: Value) => "stop" | undefined): void {
  const range = loop.range.run(frame);
  const keys = range instanceof Mapping ? range.keys : undefined;
  if (keys === undefined && !(range instanceof List)) throw new NoOverload();
  const size = keys?.length ?? (range as List).size;
  for (let index = 0; index < size; index++) {
    frame.meter.spend(1);
    const key = keys === undefined ? BigInt(index) : (keys[index] as Value);
    const item = keys === undefined ? (range as List).at(index) : loop.hasTwo ? (range as Mapping).get(key) : key;
    frame.locals[loop.slot] = loop.hasTwo ? key : (item as Value);
    if (loop.hasTwo) frame.locals[loop.slot + 1] = item as Value;
    if (visit(item as Value, key) === "stop") return;
  }
}

function collect<T>(loop: Loop, frame: Frame, make: (item: Value, key: Value) => readonly T[]): T[] {
  const made: T[] = [];
  forEach(loop, frame, (item, key) => {
    append(made, make(item, key));
    return undefined;
  });
  return made;
}

function holds(code: Code, frame: Frame): boolean {
  const value = code.run(frame);
  if (typeof value !== "boolean") throw new NoOverload();
  return value;
}

const isWanted = (loop: Loop, frame: Frame) => loop.filter === undefined || holds(loop.filter, frame);

/** An element that fails is forgiven where another one decides. */
function quantifier(loop: Loop, decisive: boolean): (frame: Frame) => Value {
  return (frame) => {
    let failure: CelError | undefined;
    let isDecided = false;
    forEach(loop, frame, () => {
      const outcome = attempt(loop.body, frame);
      if (outcome instanceof CelError) failure ??= outcome;
      else if (outcome === decisive) isDecided = true;
      return isDecided ? "stop" : undefined;
    });
    if (isDecided) return decisive;
    if (failure !== undefined) throw failure;
    return !decisive;
  };
}

function count(loop: Loop, frame: Frame): number {
  return collect(loop, frame, () => (holds(loop.body, frame) ? [true] : [])).length;
}

function mapOptional(loop: Loop, frame: Frame): Value {
  const optional = loop.range.run(frame);
  if (!(optional instanceof Optional)) throw new NoOverload();
  if (optional.value === undefined) return optional;
  frame.locals[loop.slot] = optional.value;
  const result = loop.body.run(frame);
  return loop.macro === "optMap" ? new Optional(result) : result;
}

function entriesOf(value: Value): (readonly [Value, Value])[] {
  if (!(value instanceof Mapping)) throw new NoOverload();
  return value.keys.map((key) => [key, value.get(key) as Value] as const);
}

function sortBy(loop: Loop, frame: Frame): Value {
  const pairs = collect(loop, frame, (item) => [List.of([loop.body.run(frame), item])]);
  const byKey = sorted(pairs, frame.meter, (pair) => (pair as List).at(0));
  return List.of(byKey.toArray().map((pair) => (pair as List).at(1)));
}
