/** A CEL expression as a tree, with macros told apart from calls. `at` is where it stands in the text, for messages. */
export type Expression =
  | { readonly is: "literal"; readonly value: Literal; readonly at: number }
  | { readonly is: "name"; readonly name: string; readonly at: number }
  | {
      readonly is: "select";
      readonly of: Expression;
      readonly field: string;
      readonly mode: SelectMode;
      readonly at: number;
    }
  /** Operators are calls with the names CEL gives them: `_+_`, `_[_]`, `@in`, `_?_:_`. */
  | {
      readonly is: "call";
      readonly name: string;
      readonly target?: Expression | undefined;
      readonly args: readonly Expression[];
      readonly at: number;
    }
  | { readonly is: "list"; readonly items: readonly Expression[]; readonly at: number }
  | { readonly is: "map"; readonly entries: readonly (readonly [Expression, Expression])[]; readonly at: number }
  | Comprehension;

export type Literal = null | boolean | bigint | number | string | Uint8Array | { readonly uint: bigint };

/** `value` reads a field, `test` is `has(…)`, `optional` is `.?`. */
export type SelectMode = "value" | "test" | "optional";

export interface Comprehension {
  readonly is: "comprehension";
  readonly macro: Macro;
  readonly range: Expression;
  readonly first: string;
  /** Of a comprehension over keys (or indices) and values. */
  readonly second?: string | undefined;
  readonly filter?: Expression | undefined;
  readonly body: Expression;
  readonly at: number;
}

export type Macro =
  | "all"
  | "exists"
  | "exists_one"
  | "map"
  | "filter"
  | "transformList"
  | "transformMap"
  | "transformMapEntry"
  | "optMap"
  | "optFlatMap"
  | "sortBy";

/** What is wrong with an expression, at a place in its text. */
export class CompileError extends Error {
  readonly at: number;

  constructor(message: string, at: number) {
    super(message);
    this.name = "CompileError";
    this.at = at;
  }
}

/** The problem with the line it is in and a mark under the place, as CEL prints it. */
export function formatCompileError(source: string, { message, at }: CompileError): string {
  const before = source.slice(0, at);
  const line = before.split("\n").length;
  const column = at - (before.lastIndexOf("\n") + 1);
  const text = source.split("\n")[line - 1] ?? "";
  return `ERROR: <input>:${line}:${column + 1}: ${message}\n | ${text}\n | ${".".repeat(column)}^`;
}
