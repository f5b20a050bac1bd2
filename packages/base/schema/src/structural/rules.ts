import { append } from "@trivium/std";
import type { CompiledRule } from "../cel/program.ts";
import { compileRules } from "../cel/program.ts";
import { largestRequest, minSize } from "../cel/types.ts";
import { type FieldError, forbidden, invalid } from "../field-error.ts";
import { formatGoJson } from "../go-text.ts";
import type { Rule, Schema } from "../schema.ts";

/** The real server's limits on what a rule, and all rules of a schema, may cost at worst. */
const ruleLimit = 10_000_000;
const schemaLimit = 100_000_000;

/** What rules of a schema may cost together, and which ones matter most. */
export class CostBook {
  #total = 0;
  #entries: { path: string; cost: number }[] = [];

  add(path: string, cost: number): void {
    this.#total += cost;
    if (cost >= schemaLimit / 100) this.#entries.push({ path, cost });
  }

  faults(path: string): FieldError[] {
    if (this.#total <= schemaLimit) return [];
    const words = "contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema";
    const worst = this.#entries.sort((a, b) => b.cost - a.cost).slice(0, 4);
    const name = "x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema";
    return [
      ...worst.map((entry) => forbidden(entry.path, words)),
      forbidden(path, excess(name, this.#total, schemaLimit)),
    ];
  }
}

export interface RuleSite {
  readonly schema: Schema;
  readonly path: string;
  /** How often values of this schema can occur in one object; undefined where nothing bounds it. */
  readonly cardinality: number | undefined;
  /** Inside this part of the schema old and new values cannot be told to belong together. */
  readonly uncorrelated: string | undefined;
  readonly isResource: boolean;
}

/** Whether the rules of one schema compile, and whether they are cheap enough. */
export function faultsOfRules(site: RuleSite, book: CostBook): FieldError[] {
  const { schema, isResource } = site;
  const rules = schema["x-kubernetes-validations"] ?? [];
  if (rules.length === 0) return [];
  const compiled = compileRules(rules, schema, isResource);
  return compiled.flatMap((rule, index) => {
    return faultsOfRule(rule, { ...site, path: `${site.path}.x-kubernetes-validations[${index}]` }, book);
  });
}

function faultsOfRule(compiled: CompiledRule, site: RuleSite, book: CostBook): FieldError[] {
  const { rule } = compiled;
  const errors: FieldError[] = [];
  const at = `${site.path}.rule`;
  if (compiled.code !== undefined) {
    const times = site.cardinality ?? Math.floor(largestRequest / (minSize(site.schema) + 1));
    append(errors, priced({ path: at, cost: compiled.code.cost * times, name: "estimated rule cost" }, book));
  }
  if (compiled.fault !== undefined) errors.push(faultOf(at, rule, compiled.fault));
  const messageAt = `${site.path}.messageExpression`;
  if (compiled.messageFault !== undefined) errors.push(faultOf(messageAt, rule, compiled.messageFault));
  if (compiled.message !== undefined) {
    const name = "estimated messageExpression cost";
    append(errors, priced({ path: messageAt, cost: compiled.message.cost, name }, book));
  }
  return [...errors, ...faultsOfTransition(compiled, site)];
}

function faultsOfTransition({ rule, usesOldSelf }: CompiledRule, site: RuleSite): FieldError[] {
  if (usesOldSelf && site.uncorrelated !== undefined) {
    const words = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${site.uncorrelated}`;
    return [invalid(`${site.path}.rule`, rule.rule, words)];
  }
  if (!usesOldSelf && rule.optionalOldSelf !== undefined) {
    const words = "may not be set if oldSelf is not used in rule";
    return [invalid(`${site.path}.optionalOldSelf`, rule.optionalOldSelf, words)];
  }
  return [];
}

function priced({ path, cost, name }: { path: string; cost: number; name: string }, book: CostBook): FieldError[] {
  book.add(path, cost);
  return cost > ruleLimit ? [forbidden(path, excess(name, cost, ruleLimit))] : [];
}

function excess(name: string, cost: number, limit: number): string {
  const factor = cost / limit;
  const shown = factor > 100 ? "more than 100x" : `${factor < 1.5 ? factor.toFixed(6) : factor.toFixed(1)}x`;
  const advice =
    "(try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)";
  return `${name} exceeds budget by factor of ${shown} ${advice}`;
}

/** The rule is shown as the server holds it, which is not how it was written. */
function faultOf(field: string, rule: Rule, detail: string): FieldError {
  const held = [
    ["Rule", rule.rule],
    ["Message", rule.message ?? ""],
    ["MessageExpression", rule.messageExpression ?? ""],
    ["Reason", rule.reason ?? null],
    ["FieldPath", rule.fieldPath ?? ""],
    ["OptionalOldSelf", rule.optionalOldSelf ?? null],
  ] as const;
  const text = held.map(([name, value]) => `${JSON.stringify(name)}:${formatGoJson(value)}`).join(",");
  return { reason: "FieldValueInvalid", field, detail: `{${text}}: ${detail}` };
}
