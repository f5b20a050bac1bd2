/**
 * Checks a grammar before native code sees it: that ends the whole process on a grammar it cannot read, on a rule that is not
 * there, on left recursion and on repetitions that grow too large. What this accepts, native code accepts; it knows no more.
 */
export function faultOfGrammar(text: string): string | undefined {
  try {
    checkRules(new GrammarReader(text).rules());
    return undefined;
  } catch (error) {
    if (error instanceof GrammarFault) return error.message;
    throw error;
  }
}

class GrammarFault extends Error {}

// Native code copies what is repeated as often as it is repeated.
const maxRepeats = 2000;
const maxElements = 200_000;
const maxDepth = 200;

/** One alternative: rules that may stand first in it, all rules in it, whether it can match nothing. */
interface Sequence {
  readonly items: readonly Item[];
}
type Item =
  | { readonly is: "terminal" }
  | { readonly is: "rule"; readonly name: string }
  | { readonly is: "group"; readonly of: readonly Sequence[]; readonly canBeEmpty: boolean };

type Rules = ReadonlyMap<string, readonly Sequence[]>;

class GrammarReader {
  readonly #text: string;
  #at = 0;
  #depth = 0;

  constructor(text: string) {
    if (text.length > 1_000_000) throw new GrammarFault("grammar is longer than a million characters");
    this.#text = text;
  }

  rules(): Rules {
    const rules = new Map<string, readonly Sequence[]>();
    this.#space(true);
    while (this.#at < this.#text.length) {
      const name = this.#name();
      this.#space(false);
      if (!this.#text.startsWith("::=", this.#at)) this.#fail('expecting "::="');
      this.#at += 3;
      this.#space(true);
      rules.set(name, this.#alternatives(false));
      this.#lineEnd();
      this.#space(true);
    }
    return rules;
  }

  #alternatives(isNested: boolean): Sequence[] {
    if (++this.#depth > maxDepth) this.#fail("parentheses are nested too deep");
    const all = [this.#sequence(isNested)];
    while (this.#text[this.#at] === "|") {
      this.#at++;
      this.#space(true);
      all.push(this.#sequence(isNested));
    }
    this.#depth--;
    return all;
  }

  #sequence(isNested: boolean): Sequence {
    const items: Item[] = [];
    for (;;) {
      const item = this.#item(isNested);
      if (item === undefined) return { items };
      items.push(this.#repeated(item, isNested));
    }
  }

  #item(isNested: boolean): Item | undefined {
    const char = this.#text[this.#at];
    if (char === '"') return this.#quoted(isNested);
    if (char === "[") return this.#characters(isNested);
    if (char === ".") {
      this.#at++;
      this.#space(isNested);
      return { is: "terminal" };
    }
    if (char === "(") {
      this.#at++;
      this.#space(true);
      const of = this.#alternatives(true);
      if (this.#text[this.#at] !== ")") this.#fail('expecting ")"');
      this.#at++;
      this.#space(isNested);
      return { is: "group", of, canBeEmpty: false };
    }
    if (char === undefined || !/[a-zA-Z0-9-]/.test(char)) return undefined;
    const name = this.#name();
    this.#space(isNested);
    return { is: "rule", name };
  }

  #quoted(isNested: boolean): Item {
    this.#at++;
    let isEmpty = true;
    while (this.#text[this.#at] !== '"') {
      this.#character();
      isEmpty = false;
    }
    this.#at++;
    this.#space(isNested);
    return isEmpty ? { is: "group", of: [], canBeEmpty: true } : { is: "terminal" };
  }

  #characters(isNested: boolean): Item {
    this.#at++;
    if (this.#text[this.#at] === "^") this.#at++;
    let isEmpty = true;
    while (this.#text[this.#at] !== "]") {
      this.#character();
      isEmpty = false;
      if (this.#text[this.#at] === "-" && this.#text[this.#at + 1] !== "]") {
        this.#at++;
        this.#character();
      }
    }
    if (isEmpty) this.#fail("empty character set");
    this.#at++;
    this.#space(isNested);
    return { is: "terminal" };
  }

  #character(): void {
    const char = this.#text[this.#at];
    if (char === undefined) this.#fail("unexpected end of input");
    if (char !== "\\") {
      this.#at += this.#text.codePointAt(this.#at)! > 0xffff ? 2 : 1;
      return;
    }
    const kind = this.#text[this.#at + 1] ?? "";
    const digits = { x: 2, u: 4, U: 8 }[kind];
    if (digits === undefined) {
      if (!'tnr\\"[]'.includes(kind) || kind === "") this.#fail(`unknown escape \\${kind}`);
      this.#at += 2;
      return;
    }
    const hex = this.#text.slice(this.#at + 2, this.#at + 2 + digits);
    if (!new RegExp(`^[0-9a-fA-F]{${digits}}$`).test(hex)) this.#fail(`expecting ${digits} hex digits`);
    this.#at += 2 + digits;
  }

  #repeated(item: Item, isNested: boolean): Item {
    let repeated = item;
    for (;;) {
      const char = this.#text[this.#at];
      const range = char === "{" ? this.#range() : { "*": 0, "?": 0, "+": 1 }[char ?? ""];
      if (range === undefined) return repeated;
      if (char !== "{") this.#at++;
      this.#space(isNested);
      repeated = { is: "group", of: [{ items: [repeated] }], canBeEmpty: range === 0 };
    }
  }

  #range(): number {
    const [all, from = "", , to] =
      /^\{\s*(\d+)\s*(,\s*(\d*)\s*)?\}/.exec(this.#text.slice(this.#at, this.#at + 64)) ?? [];
    if (all === undefined) return this.#fail("expecting a repetition like {2,5}");
    const most = Math.max(Number(from), Number(to ?? 0));
    if (most > maxRepeats) this.#fail(`repetition of more than ${maxRepeats}`);
    if (to !== undefined && to !== "" && Number(to) < Number(from)) this.#fail("repetition that ends before it starts");
    this.#at += all.length;
    return Number(from);
  }

  #name(): string {
    const [name] = /^[a-zA-Z0-9-]+/.exec(this.#text.slice(this.#at, this.#at + 512)) ?? [];
    if (name === undefined) return this.#fail("expecting a name");
    this.#at += name.length;
    return name;
  }

  #lineEnd(): void {
    const char = this.#text[this.#at];
    if (char !== undefined && char !== "\n" && char !== "\r") this.#fail("expecting the end of the rule");
  }

  /** Space and comments; across lines only where a rule cannot end. */
  #space(acrossLines: boolean): void {
    for (;;) {
      const char = this.#text[this.#at];
      if (char === "#") while (this.#at < this.#text.length && !"\r\n".includes(this.#text[this.#at]!)) this.#at++;
      else if (char === " " || char === "\t" || (acrossLines && (char === "\n" || char === "\r"))) this.#at++;
      else return;
    }
  }

  #fail(why: string): never {
    const line = this.#text.slice(0, this.#at).split("\n").length;
    throw new GrammarFault(`failed to parse grammar: ${why} in line ${line}`);
  }
}

function checkRules(rules: Rules): void {
  if (!rules.has("root")) throw new GrammarFault("failed to parse grammar: there is no rule named root");
  let elements = 0;
  for (const alternatives of rules.values())
    for (const name of namesIn(alternatives)) {
      if (++elements > maxElements) throw new GrammarFault("failed to parse grammar: it is too large");
      if (!rules.has(name)) throw new GrammarFault(`failed to parse grammar: undefined rule ${name}`);
    }
  const empty = emptyRules(rules);
  const state = new Map<string, "open" | "done">();
  for (const name of rules.keys()) refuseLeftRecursion(name, { rules, empty, state });
}

function* namesIn(alternatives: readonly Sequence[]): Generator<string> {
  for (const { items } of alternatives)
    for (const item of items) {
      if (item.is === "rule") yield item.name;
      else if (item.is === "group") yield* namesIn(item.of);
    }
}

/** Rules that can match nothing: found by going round until no more are. */
function emptyRules(rules: Rules): ReadonlySet<string> {
  const empty = new Set<string>();
  for (let before = -1; before !== empty.size; ) {
    before = empty.size;
    for (const [name, alternatives] of rules)
      if (alternatives.some(({ items }) => items.every((item) => isEmptiable(item, empty)))) empty.add(name);
  }
  return empty;
}

function isEmptiable(item: Item, empty: ReadonlySet<string>): boolean {
  if (item.is === "terminal") return false;
  if (item.is === "rule") return empty.has(item.name);
  return item.canBeEmpty || item.of.some(({ items }) => items.every((inner) => isEmptiable(inner, empty)));
}

interface Walk {
  readonly rules: Rules;
  readonly empty: ReadonlySet<string>;
  readonly state: Map<string, "open" | "done">;
}

function refuseLeftRecursion(name: string, walk: Walk): void {
  if (walk.state.get(name) === "done") return;
  if (walk.state.get(name) === "open")
    throw new GrammarFault(`failed to parse grammar: left recursion in rule ${name}`);
  if (walk.state.size > 5000) throw new GrammarFault("failed to parse grammar: it has too many rules");
  walk.state.set(name, "open");
  for (const first of firstNames(walk.rules.get(name)!, walk.empty)) refuseLeftRecursion(first, walk);
  walk.state.set(name, "done");
}

function* firstNames(alternatives: readonly Sequence[], empty: ReadonlySet<string>): Generator<string> {
  for (const { items } of alternatives)
    for (const item of items) {
      if (item.is === "rule") yield item.name;
      else if (item.is === "group") yield* firstNames(item.of, empty);
      if (!isEmptiable(item, empty)) break;
    }
}
