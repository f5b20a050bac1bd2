import { append } from "@trivium/std";
import { foldRanges, invertRanges, normalizeRanges, perlClasses, posixClasses, unicodeRanges } from "./ranges.ts";
import { type Assertion, lastCodePoint, type Node, RegexError } from "./syntax.ts";

/** Go refuses repeats above this, and so bounds the size of the program made from a pattern. */
const maxRepeats = 1000;
/** Groups nest in patterns by hand only a few levels; a bound keeps the parser's own stack safe. */
const deepest = 200;

interface Flags {
  readonly fold: boolean;
  readonly multiline: boolean;
  readonly dotAll: boolean;
  readonly ungreedy: boolean;
}

/** Reads a pattern in Go's syntax. Throws `RegexError` for what Go refuses: look-around and back references too. */
export function parseRegex(pattern: string): Node {
  return new Parser(pattern).parse();
}

class Parser {
  readonly #text: string;
  #at = 0;
  #depth = 0;
  #flags: Flags = { fold: false, multiline: false, dotAll: false, ungreedy: false };

  constructor(text: string) {
    this.#text = text;
  }

  parse(): Node {
    const node = this.#choice();
    if (this.#at < this.#text.length) throw new RegexError("unexpected )", this.#text);
    return node;
  }

  #peek(): string {
    return this.#text[this.#at] ?? "";
  }

  #next(): string {
    const character = String.fromCodePoint(this.#text.codePointAt(this.#at) as number);
    this.#at += character.length;
    return character;
  }

  #take(text: string): boolean {
    if (!this.#text.startsWith(text, this.#at)) return false;
    this.#at += text.length;
    return true;
  }

  #choice(): Node {
    const options = [this.#sequence()];
    while (this.#take("|")) options.push(this.#sequence());
    return options.length === 1 ? (options[0] as Node) : { is: "choice", options };
  }

  #sequence(): Node {
    const parts: Node[] = [];
    while (this.#at < this.#text.length && this.#peek() !== "|" && this.#peek() !== ")") {
      parts.push(this.#repeated());
    }
    if (parts.length === 0) return { is: "empty" };
    return parts.length === 1 ? (parts[0] as Node) : { is: "sequence", parts };
  }

  #repeated(): Node {
    const start = this.#at;
    let node = this.#atom();
    let operator = "";
    for (;;) {
      const before = this.#at;
      const bounds = this.#quantifier();
      if (bounds === undefined) return node;
      const isLazy = this.#take("?") !== this.#flags.ungreedy;
      const written = this.#text.slice(before, this.#at);
      if (operator !== "") throw new RegexError("invalid nested repetition operator", operator + written);
      if (bounds.max > maxRepeats && bounds.max !== Number.POSITIVE_INFINITY) {
        throw new RegexError("invalid repeat count", written);
      }
      if (bounds.min > maxRepeats || bounds.min > bounds.max) throw new RegexError("invalid repeat count", written);
      if (sizeOf(node) * Math.max(bounds.min, Number.isFinite(bounds.max) ? bounds.max : 1) > 20_000) {
        throw new RegexError("expression too large", this.#text.slice(start, this.#at));
      }
      operator = written;
      node = { is: "repeat", of: node, ...bounds, isLazy };
    }
  }

  #quantifier(): { min: number; max: number } | undefined {
    if (this.#take("*")) return { min: 0, max: Number.POSITIVE_INFINITY };
    if (this.#take("+")) return { min: 1, max: Number.POSITIVE_INFINITY };
    if (this.#take("?")) return { min: 0, max: 1 };
    const counted = /^\{(\d+)(?:(,)(\d*))?\}/.exec(this.#text.slice(this.#at, this.#at + 24));
    if (!counted) return undefined;
    this.#at += counted[0].length;
    const min = Number(counted[1]);
    if (counted[2] === undefined) return { min, max: min };
    return { min, max: counted[3] === "" ? Number.POSITIVE_INFINITY : Number(counted[3]) };
  }

  #atom(): Node {
    const character = this.#next();
    switch (character) {
      case "^":
        return this.#assertion(this.#flags.multiline ? "lineStart" : "textStart");
      case "$":
        return this.#assertion(this.#flags.multiline ? "lineEnd" : "textEnd");
      case ".":
        return { is: "class", ranges: this.#flags.dotAll ? [0, lastCodePoint] : [0, 9, 11, lastCodePoint] };
      case "[":
        return this.#class();
      case "(":
        return this.#group();
      case "\\":
        return this.#escape();
      case "*":
      case "+":
      case "?":
        throw new RegexError("missing argument to repetition operator", character);
      default:
        return this.#literal(character.codePointAt(0) as number);
    }
  }

  #assertion(at: Assertion): Node {
    return { is: "assert", at };
  }

  #literal(code: number): Node {
    return this.#rangesNode([code, code]);
  }

  #rangesNode(ranges: readonly number[]): Node {
    return { is: "class", ranges: this.#flags.fold ? foldRanges(ranges) : normalizeRanges(ranges) };
  }

  #group(): Node {
    const start = this.#at - 1;
    if (++this.#depth > deepest) throw new RegexError("expression nests too deeply", this.#text.slice(0, 40));
    const outer = this.#flags;
    if (this.#take("?")) {
      const named = /^(?:P?<([A-Za-z_]\w*)>)/.exec(this.#text.slice(this.#at));
      if (named) this.#at += named[0].length;
      else if (this.#flagGroup(start) === "flags only") return { is: "empty" };
    }
    const node = this.#choice();
    if (!this.#take(")")) throw new RegexError("missing closing )", this.#text);
    this.#flags = outer;
    this.#depth--;
    return node;
  }

  /** `(?i)` changes the flags up to the end of the group it stands in; `(?i:…)` opens a group of its own. */
  #flagGroup(start: number): "flags only" | "group" {
    const match = /^([imsU]*)(?:-([imsU]+))?([:)])/.exec(this.#text.slice(this.#at));
    if (!match) {
      const rest = this.#text.slice(start);
      if (!/^\(\?P?</.test(rest)) {
        throw new RegexError("invalid or unsupported Perl syntax", this.#text.slice(start, this.#at + 1));
      }
      throw new RegexError("invalid named capture", rest.slice(0, rest.indexOf(">") + 1 || rest.length));
    }
    const [whole, on = "", off = "", end] = match;
    this.#at += whole.length;
    const value = (flag: string, now: boolean) => (now || on.includes(flag)) && !off.includes(flag);
    this.#flags = {
      fold: value("i", this.#flags.fold),
      multiline: value("m", this.#flags.multiline),
      dotAll: value("s", this.#flags.dotAll),
      ungreedy: value("U", this.#flags.ungreedy),
    };
    if (end === ":") return "group";
    this.#depth--;
    return "flags only";
  }

  #escape(): Node {
    if (this.#at >= this.#text.length) throw new RegexError("trailing backslash at end of expression", "");
    switch (this.#peek()) {
      case "A":
        this.#at++;
        return this.#assertion("textStart");
      case "z":
        this.#at++;
        return this.#assertion("textEnd");
      case "b":
        this.#at++;
        return this.#assertion("wordBoundary");
      case "B":
        this.#at++;
        return this.#assertion("notWordBoundary");
      case "Q":
        this.#at++;
        return this.#quoted();
      default: {
        const ranges = this.#escapedClass();
        return this.#rangesNode(ranges ?? this.#escapedCharacter());
      }
    }
  }

  #quoted(): Node {
    const end = this.#text.indexOf("\\E", this.#at);
    const text = this.#text.slice(this.#at, end < 0 ? this.#text.length : end);
    this.#at = end < 0 ? this.#text.length : end + 2;
    const parts = [...text].map((character) => this.#literal(character.codePointAt(0) as number));
    return parts.length === 0 ? { is: "empty" } : { is: "sequence", parts };
  }

  /** After a backslash: `d`, `W`, `pL`, `P{Greek}`. */
  #escapedClass(): readonly number[] | undefined {
    const perl = Object.hasOwn(perlClasses, this.#peek()) ? perlClasses[this.#peek()] : undefined;
    if (perl !== undefined) {
      this.#at++;
      return perl;
    }
    const match = /^([pP])(?:\{(\^?)([^}]*)\}|(.))/u.exec(this.#text.slice(this.#at));
    if (!match) return undefined;
    this.#at += match[0].length;
    const ranges = unicodeRanges(match[3] ?? (match[4] as string));
    if (ranges === undefined) throw new RegexError("invalid character class range", `\\${match[0]}`);
    return (match[1] === "P") !== (match[2] === "^") ? invertRanges(ranges) : ranges;
  }

  #escapedCharacter(): [number, number] {
    const start = this.#at;
    const hex = /^x(?:([0-9A-Fa-f]{2})|\{([0-9A-Fa-f]{1,6})\})/.exec(this.#text.slice(start, start + 10));
    if (hex) {
      this.#at += hex[0].length;
      const code = Number.parseInt((hex[1] ?? hex[2]) as string, 16);
      if (code <= lastCodePoint) return [code, code];
    }
    const octal = /^(?:0[0-7]{0,2}|[1-7][0-7]{1,2})/.exec(this.#text.slice(start, start + 3));
    if (octal) {
      this.#at += octal[0].length;
      const code = Number.parseInt(octal[0], 8);
      return [code, code];
    }
    const character = this.#next();
    const control = "\x07\f\n\r\t\v"["afnrtv".indexOf(character)];
    const code = ("afnrtv".includes(character) ? control : character)?.codePointAt(0) as number;
    if (!"afnrtv".includes(character) && /[A-Za-z0-9]|[^\0-\x7f]/.test(character)) {
      throw new RegexError("invalid escape sequence", `\\${character}`);
    }
    return [code, code];
  }

  #class(): Node {
    const start = this.#at - 1;
    const isNegated = this.#take("^");
    const ranges: number[] = [];
    let isFirst = true;
    while (isFirst || this.#peek() !== "]") {
      if (this.#at >= this.#text.length) throw new RegexError("missing closing ]", this.#text.slice(start));
      isFirst = false;
      append(ranges, this.#classPart());
    }
    this.#at++;
    const folded = this.#flags.fold ? foldRanges(ranges) : ranges;
    return { is: "class", ranges: isNegated ? invertRanges(folded) : normalizeRanges(folded) };
  }

  #classPart(): readonly number[] {
    const start = this.#at;
    const posix = /^\[:(\^?)(\w+):\]/.exec(this.#text.slice(start, start + 16));
    if (posix) {
      this.#at += posix[0].length;
      const ranges = Object.hasOwn(posixClasses, posix[2] as string) ? posixClasses[posix[2] as string] : undefined;
      if (ranges === undefined) throw new RegexError("invalid character class range", posix[0]);
      return posix[1] === "^" ? invertRanges(ranges) : ranges;
    }
    const low = this.#classCharacter();
    if (low.length !== 2 || low[0] !== low[1]) return low;
    if (this.#peek() !== "-" || this.#text[this.#at + 1] === "]" || this.#at + 1 >= this.#text.length) return low;
    this.#at++;
    const high = this.#classCharacter();
    if (high.length !== 2 || high[0] !== high[1] || (high[0] as number) < (low[0] as number)) {
      throw new RegexError("invalid character class range", this.#text.slice(start, this.#at));
    }
    return [low[0] as number, high[0] as number];
  }

  #classCharacter(): readonly number[] {
    if (this.#at >= this.#text.length) throw new RegexError("missing closing ]", this.#text);
    const character = this.#next();
    if (character !== "\\") return [character.codePointAt(0) as number, character.codePointAt(0) as number];
    if (this.#at >= this.#text.length) throw new RegexError("trailing backslash at end of expression", "");
    return this.#escapedClass() ?? this.#escapedCharacter();
  }
}

function sizeOf(node: Node): number {
  switch (node.is) {
    case "sequence":
      return node.parts.reduce((sum, part) => sum + sizeOf(part), 0);
    case "choice":
      return node.options.reduce((sum, option) => sum + sizeOf(option) + 1, 0);
    case "repeat":
      return sizeOf(node.of) * Math.max(node.min, Number.isFinite(node.max) ? node.max : 1, 1) + 1;
    default:
      return 1;
  }
}
