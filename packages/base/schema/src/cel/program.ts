import type { Rule, Schema } from "../schema.ts";
import type { Code, Scope } from "./code.ts";
import { compileExpression } from "./compile.ts";
import { CompileError, formatCompileError } from "./expression.ts";
import { parseExpression } from "./parse.ts";
import { type CelType, typeOfSchema } from "./types.ts";

/** A rule made ready, or why it cannot be. */
export interface CompiledRule {
  readonly rule: Rule;
  readonly code?: Code;
  readonly message?: Code;
  readonly usesOldSelf: boolean;
  readonly fault?: string;
  readonly messageFault?: string;
}

const compiled = new WeakMap<readonly Rule[], Map<CelType, CompiledRule[]>>();

/** The rules of a schema node, compiled once. `node` is the schema of the values; rules may come from an `allOf` of it. */
export function compileRules(rules: readonly Rule[], node: Schema, isResource: boolean): CompiledRule[] {
  const type = typeOfSchema(node, isResource);
  if (type === undefined)
    return rules.map((rule) => ({ rule, usesOldSelf: false, fault: "rules need a typed schema" }));
  const byType = compiled.get(rules) ?? new Map<CelType, CompiledRule[]>();
  compiled.set(rules, byType);
  let known = byType.get(type);
  if (known === undefined) {
    known = rules.map((rule) => compileRule(rule, type));
    byType.set(type, known);
  }
  return known;
}

function compileRule(rule: Rule, self: CelType): CompiledRule {
  let usesOldSelf = false;
  const scope = {
    self,
    oldSelf: rule.optionalOldSelf === true ? ({ is: "optional", of: self } as const) : self,
    locals: [],
    onOldSelf: () => {
      usesOldSelf = true;
    },
  };
  const code = tryCompile(rule.rule, "bool", scope);
  if (typeof code === "string") return { rule, usesOldSelf, fault: code };
  const isTransition = usesOldSelf;
  if (!rule.messageExpression) return { rule, code, usesOldSelf };
  const message = tryCompile(rule.messageExpression, "string", scope);
  if (typeof message === "string") return { rule, code, usesOldSelf: isTransition, messageFault: message };
  return { rule, code, message, usesOldSelf: isTransition };
}

function tryCompile(source: string, wanted: "bool" | "string", scope: Scope): Code | string {
  const name = wanted === "bool" ? "" : "messageExpression ";
  try {
    const code = compileExpression(parseExpression(source), scope);
    if (code.type.is === wanted) return code;
    return wanted === "bool" ? "cel expression must evaluate to a bool" : "messageExpression must evaluate to a string";
  } catch (error) {
    // A chain of thousands of operators nests as deep as it is long.
    if (error instanceof RangeError) return `${name}compilation failed: expression nests too deeply`;
    if (error instanceof CompileError) return `${name}compilation failed: ${formatCompileError(source, error)}`;
    throw error;
  }
}
