import { type ASTNode, Environment, ParseError } from "@marcbachmann/cel-js";
import { CompileError, type Expression, type Literal, type Macro } from "./expression.ts";

/**
 * The only module that knows the CEL library. Its parser is used (literals, escapes, precedence, limits); types, costs and
 * evaluation are ours, because rules come from anybody and must be priced before and metered while they run.
 */
const parser = new Environment({
  enableOptionalTypes: true,
  unlistedVariablesAreDyn: true,
  homogeneousAggregateLiterals: false,
  limits: { maxAstNodes: 10_000, maxDepth: 100 },
});

/** A rule longer than this is no rule that a person wrote. */
const longestSource = 64 * 1024;

export function parseExpression(source: string): Expression {
  if (source.length > longestSource) throw new CompileError(`expression is longer than ${longestSource} characters`, 0);
  let tree: ASTNode;
  try {
    tree = parser.parse(source).ast;
  } catch (error) {
    if (error instanceof RangeError) throw new CompileError("expression nests too deeply", 0);
    if (!(error instanceof ParseError)) throw error;
    const at = error.range?.start ?? 0;
    const summary = error.summary ?? error.message;
    const isHas = summary.startsWith("has()");
    throw new CompileError(isHas ? "invalid argument to has() macro" : `Syntax error: ${summary}`, at);
  }
  return new Reader(source).read(tree);
}

const macros: Readonly<Record<string, readonly number[]>> = {
  all: [2, 3],
  exists: [2, 3],
  exists_one: [2, 3],
  existsOne: [2, 3],
  map: [2, 3],
  filter: [2],
  transformList: [3, 4],
  transformMap: [3, 4],
  transformMapEntry: [3, 4],
  optMap: [2],
  optFlatMap: [2],
  sortBy: [2],
};

class Reader {
  readonly #source: string;

  constructor(source: string) {
    this.#source = source;
  }

  read(node: ASTNode): Expression {
    switch (node.op) {
      case "value":
        return { is: "literal", value: literalOf(node.args), at: node.pos };
      case "id":
        return { is: "name", name: node.args, at: node.pos };
      case ".":
        return { is: "select", of: this.read(node.args[0]), field: node.args[1], mode: "value", at: node.pos - 1 };
      case ".?":
        return { is: "select", of: this.read(node.args[0]), field: node.args[1], mode: "optional", at: node.pos - 2 };
      case "[]":
        return this.#call("_[_]", node.args, this.#after(node.args[0], "["));
      case "[?]":
        return this.#call("_[?_]", node.args, this.#after(node.args[0], "["));
      case "list":
        return { is: "list", items: node.args.map((item) => this.read(item)), at: node.pos };
      case "map": {
        const entries = node.args.map(([key, value]) => [this.read(key), this.read(value)] as const);
        return { is: "map", entries, at: node.pos };
      }
      case "!_":
      case "-_":
        return this.#unary(node.op, node.args, node.pos);
      case "?:":
        return this.#call("_?_:_", node.args, this.#after(node.args[0], "?"));
      case "call":
        return this.#functionCall(node.args[0], node.args[1], node.pos);
      case "rcall":
        return this.#memberCall(node.args[0], node.args[1], node.args[2]);
      case "in":
        return this.#call("@in", node.args, this.#after(node.args[0], "in"));
      default:
        return this.#call(`_${node.op}_`, node.args, this.#after(node.args[0], node.op));
    }
  }

  #call(name: string, args: readonly ASTNode[], at: number): Expression {
    return { is: "call", name, args: args.map((arg) => this.read(arg)), at };
  }

  /** `-5` is a literal, as in CEL's own grammar. */
  #unary(op: "!_" | "-_", operand: ASTNode, at: number): Expression {
    if (
      op === "-_" &&
      operand.op === "value" &&
      (typeof operand.args === "bigint" || typeof operand.args === "number")
    ) {
      return { is: "literal", value: -operand.args, at };
    }
    return this.#call(op, [operand], at);
  }

  /** Where an operator stands: behind its left operand and the brackets that close around it. */
  #after(left: ASTNode, operator: string): number {
    const found = this.#source.indexOf(operator, left.end);
    return found < 0 ? left.end : found;
  }

  #functionCall(name: string, args: readonly ASTNode[], start: number): Expression {
    const at = Math.max(start, this.#source.indexOf("(", start));
    if (name !== "has") return { is: "call", name, args: args.map((arg) => this.read(arg)), at };
    const argument = args.length === 1 ? this.read(args[0] as ASTNode) : undefined;
    if (argument?.is !== "select" || argument.mode !== "value") {
      throw new CompileError("invalid argument to has() macro", argument?.at ?? at);
    }
    return { ...argument, mode: "test", at };
  }

  #memberCall(name: string, receiver: ASTNode, args: readonly ASTNode[]): Expression {
    const at = Math.max(receiver.end, this.#source.indexOf("(", receiver.end));
    const comprehension = this.#comprehension(name, receiver, { args, at });
    if (comprehension !== undefined) return comprehension;
    const namespaced = receiver.op === "id" ? `${receiver.args}.${name}` : "";
    if (namespaces.has(namespaced))
      return { is: "call", name: namespaced, args: args.map((arg) => this.read(arg)), at };
    return { is: "call", name, target: this.read(receiver), args: args.map((arg) => this.read(arg)), at };
  }

  #comprehension(
    name: string,
    receiver: ASTNode,
    call: { args: readonly ASTNode[]; at: number },
  ): Expression | undefined {
    const counts = Object.hasOwn(macros, name) ? macros[name] : undefined;
    if (counts === undefined || !counts.includes(call.args.length)) return undefined;
    const macro = (name === "existsOne" ? "exists_one" : name) as Macro;
    const hasTwo = macro !== "map" && call.args.length >= 3;
    const variables = call.args.slice(0, hasTwo ? 2 : 1).map((arg) => this.#variable(arg));
    const rest = call.args.slice(variables.length).map((arg) => this.read(arg));
    return {
      is: "comprehension",
      macro,
      range: this.read(receiver),
      first: variables[0] as string,
      second: variables[1],
      filter: rest.length === 2 ? rest[0] : undefined,
      body: rest[rest.length - 1] as Expression,
      at: call.at,
    };
  }

  #variable(node: ASTNode): string {
    if (node.op === "id") return node.args;
    throw new CompileError("argument must be a simple name", node.pos);
  }
}

/** Functions whose names have a dot in them. */
const namespaces: ReadonlySet<string> = new Set([
  "optional.of",
  "optional.ofNonZeroValue",
  "optional.none",
  "sets.contains",
  "sets.equivalent",
  "sets.intersects",
  "ip.isCanonical",
  "format.named",
  "format.dns1123Label",
  "format.dns1123Subdomain",
  "format.dns1035Label",
  "format.qualifiedName",
  "format.dns1123LabelPrefix",
  "format.dns1123SubdomainPrefix",
  "format.dns1035LabelPrefix",
  "format.labelValue",
  "format.uri",
  "format.uuid",
  "format.byte",
  "format.date",
  "format.datetime",
  "lists.range",
  "strings.quote",
]);

function literalOf(value: unknown): Literal {
  if (typeof value === "object" && value !== null && "value" in value) {
    return { uint: BigInt((value as { value: bigint | number }).value) };
  }
  return value as Literal;
}
