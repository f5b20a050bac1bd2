/**
 * Runs a parser that llama.cpp wrote for a chat template. It comes as data: a list of expressions that refer to each other by
 * number. Text may be incomplete; what can be known of it already is returned.
 */

type Expression =
  | { readonly type: "epsilon" | "start" | "end" | "any" | "space" }
  | { readonly type: "literal"; readonly literal: string }
  | { readonly type: "sequence" | "choice"; readonly children: readonly number[] }
  | { readonly type: "repetition"; readonly child: number; readonly min_count: number; readonly max_count: number }
  | { readonly type: "and" | "not" | "atomic" | "rule" | "schema" | "gbnf" | "ac"; readonly child: number }
  | { readonly type: "tag"; readonly child: number; readonly tag: string }
  | ({ readonly type: "chars"; readonly ranges: readonly Range[]; readonly negated: boolean } & Counts)
  | { readonly type: "string"; readonly delimiter: string }
  | { readonly type: "until"; readonly delimiters: readonly string[] }
  | { readonly type: "ref"; readonly name: string };

interface Counts {
  readonly min_count: number;
  readonly max_count: number;
}
interface Range {
  readonly start: number;
  readonly end: number;
}

export interface Grammar {
  readonly parsers: readonly Expression[];
  readonly rules: Readonly<Record<string, number>>;
  readonly root: number;
}

/** A part of the text that the grammar has a name for. */
export interface TaggedNode {
  readonly tag: string;
  readonly text: string;
  readonly children: readonly TaggedNode[];
}

/** `open`: right so far, and more may come. */
interface Match {
  readonly is: "matched" | "open" | "failed";
  readonly end: number;
  readonly nodes: readonly TaggedNode[];
}

const none: readonly TaggedNode[] = [];
const failed: Match = { is: "failed", end: 0, nodes: none };
const matched = (end: number, nodes = none): Match => ({ is: "matched", end, nodes });
const open = (end: number, nodes = none): Match => ({ is: "open", end, nodes });

/** The named parts of a text; undefined where it cannot be what the grammar describes. */
export function parseTagged(grammar: Grammar, text: string): readonly TaggedNode[] | undefined {
  const { is, nodes } = new Parse(grammar, text).at(grammar.root, 0);
  return is === "failed" ? undefined : nodes;
}

class Parse {
  readonly #grammar: Grammar;
  readonly #text: string;

  constructor(grammar: Grammar, text: string) {
    this.#grammar = grammar;
    this.#text = text;
  }

  at(number: number, from: number): Match {
    const expression = this.#grammar.parsers[number];
    if (expression === undefined) return failed;
    switch (expression.type) {
      case "epsilon":
        return matched(from);
      case "start":
        return from === 0 ? matched(from) : failed;
      case "end":
        return from >= this.#text.length ? matched(from) : failed;
      case "any":
        return from < this.#text.length ? matched(from + this.#widthAt(from)) : open(from);
      case "space":
        return this.#space(from);
      case "literal":
        return this.#literal(expression.literal, from);
      case "sequence":
        return this.#sequence(expression.children, from);
      case "choice":
        return this.#choice(expression.children, from);
      case "repetition":
        return this.#repetition(expression, from);
      case "chars":
        return this.#chars(expression, from);
      case "string":
        return this.#quoted(expression.delimiter, from);
      case "until":
        return this.#until(expression.delimiters, from);
      case "and":
        return { ...this.at(expression.child, from), end: from, nodes: none };
      case "not":
        return this.#not(expression.child, from);
      case "tag":
        return this.#tag(expression.tag, expression.child, from);
      case "atomic": {
        const inner = this.at(expression.child, from);
        return inner.is === "open" ? open(inner.end) : inner;
      }
      case "ref":
        return this.at(this.#grammar.rules[expression.name] ?? -1, from);
      default:
        // A rule, and what only tells how a grammar is written from it.
        return this.at(expression.child, from);
    }
  }

  #widthAt(at: number): number {
    return this.#text.codePointAt(at)! > 0xffff ? 2 : 1;
  }

  #space(from: number): Match {
    let at = from;
    while (at < this.#text.length && " \t\n\r\v\f".includes(this.#text[at]!)) at++;
    return matched(at);
  }

  #literal(literal: string, from: number): Match {
    if (this.#text.startsWith(literal, from)) return matched(from + literal.length);
    return literal.startsWith(this.#text.slice(from)) ? open(this.#text.length) : failed;
  }

  #sequence(children: readonly number[], from: number): Match {
    const nodes: TaggedNode[] = [];
    let at = from;
    for (const child of children) {
      const match = this.at(child, at);
      if (match.is === "failed") return failed;
      nodes.push(...match.nodes);
      if (match.is === "open") return open(match.end, nodes);
      at = match.end;
    }
    return matched(at, nodes);
  }

  #choice(children: readonly number[], from: number): Match {
    for (const child of children) {
      const match = this.at(child, from);
      if (match.is !== "failed") return match;
    }
    return failed;
  }

  #repetition({ child, min_count, max_count }: Counts & { readonly child: number }, from: number): Match {
    const nodes: TaggedNode[] = [];
    let at = from;
    let count = 0;
    while ((max_count === -1 || count < max_count) && at < this.#text.length) {
      const match = this.at(child, at);
      if (match.is === "failed" || (match.is === "matched" && match.end === at)) break;
      nodes.push(...match.nodes);
      if (match.is === "open") return open(match.end, nodes);
      at = match.end;
      count++;
    }
    if (count >= min_count) return matched(at, nodes);
    return at >= this.#text.length ? open(at, nodes) : failed;
  }

  #chars(
    { ranges, negated, min_count, max_count }: Counts & { ranges: readonly Range[]; negated: boolean },
    from: number,
  ): Match {
    let at = from;
    let count = 0;
    while ((max_count === -1 || count < max_count) && at < this.#text.length) {
      const code = this.#text.codePointAt(at)!;
      if (ranges.some(({ start, end }) => code >= start && code <= end) === negated) break;
      at += this.#widthAt(at);
      count++;
    }
    if (count >= min_count) return matched(at);
    return at >= this.#text.length ? open(at) : failed;
  }

  /** The inside of a quoted text, up to its closing quote. */
  #quoted(delimiter: string, from: number): Match {
    let at = from;
    while (at < this.#text.length) {
      const char = this.#text[at]!;
      if (char === delimiter) return matched(at);
      if (char !== "\\") {
        at += this.#widthAt(at);
        continue;
      }
      const escaped = /^\\(?:u[0-9a-fA-F]{4}|[^u])/.exec(this.#text.slice(at, at + 6))?.[0];
      if (escaped === undefined) return /^\\(?:u[0-9a-fA-F]{0,3})?$/.test(this.#text.slice(at)) ? open(at) : failed;
      if (escaped.length === 2 && !`${delimiter}\\/bfnrt`.includes(escaped[1]!)) return failed;
      at += escaped.length;
    }
    return open(at);
  }

  /** Up to the first delimiter, or to an end of the text that may become one. */
  #until(delimiters: readonly string[], from: number): Match {
    let end = this.#text.length;
    let isFound = false;
    for (const delimiter of delimiters) {
      const at = this.#text.indexOf(delimiter, from);
      if (at >= 0 && at < end) {
        end = at;
        isFound = true;
      }
    }
    for (const delimiter of delimiters)
      for (let length = Math.min(delimiter.length - 1, this.#text.length - from); length > 0; length--) {
        const at = this.#text.length - length;
        if (at < end && this.#text.endsWith(delimiter.slice(0, length))) {
          end = at;
          isFound = true;
        }
      }
    return isFound ? matched(end) : open(end);
  }

  #not(child: number, from: number): Match {
    const { is } = this.at(child, from);
    if (is === "open") return open(from);
    return is === "failed" ? matched(from) : failed;
  }

  #tag(tag: string, child: number, from: number): Match {
    const match = this.at(child, from);
    if (match.is === "failed") return failed;
    return { ...match, nodes: [{ tag, text: this.#text.slice(from, match.end), children: match.nodes }] };
  }
}
