/** A text that a program can print: a string or template literal of a source file, `…` standing for what is inserted. */
export interface Literal {
  readonly line: number;
  readonly text: string;
}

/** The string and template literals of TypeScript source, in order. Comments and regular expressions are passed over. */
export function stringLiterals(source: string): Literal[] {
  const found: Literal[] = [];
  scan(new Cursor(source), found, undefined);
  return found;
}

class Cursor {
  readonly #source: string;
  at = 0;
  #line = 1;
  #counted = 0;

  constructor(source: string) {
    this.#source = source;
  }

  get line(): number {
    for (; this.#counted < this.at; this.#counted++) if (this.#source[this.#counted] === "\n") this.#line += 1;
    return this.#line;
  }

  get isAtEnd(): boolean {
    return this.at >= this.#source.length;
  }

  startsWith(text: string): boolean {
    return this.#source.startsWith(text, this.at);
  }

  take(): string {
    return this.#source[this.at++] ?? "";
  }

  /** Moves behind the next occurrence, or to the end. */
  skipPast(text: string): void {
    const index = this.#source.indexOf(text, this.at);
    this.at = index < 0 ? this.#source.length : index + text.length;
  }

  before(): string {
    return this.#source.slice(Math.max(0, this.at - 40), this.at);
  }
}

/** Reads up to the closing text, which ends the expression inside a template, or to the end of the source. */
function scan(cursor: Cursor, found: Literal[], closing: "}" | undefined): void {
  let depth = 0;
  while (!cursor.isAtEnd) {
    if (cursor.startsWith("//")) cursor.skipPast("\n");
    else if (cursor.startsWith("/*")) cursor.skipPast("*/");
    else if (cursor.startsWith("/") && beginsExpression(cursor.before())) skipExpression(cursor);
    else {
      const { line } = cursor;
      const character = cursor.take();
      if (character === '"' || character === "'") found.push({ line, text: quoted(cursor, character) });
      else if (character === "`") template(cursor, found, line);
      else if (character === "{") depth += 1;
      else if (character === "}" && closing !== undefined && depth-- === 0) return;
    }
  }
}

function quoted(cursor: Cursor, quote: string): string {
  let text = "";
  for (let next = cursor.take(); next !== quote && !cursor.isAtEnd; next = cursor.take())
    text += next === "\\" ? escaped(cursor) : next;
  return text;
}

function template(cursor: Cursor, found: Literal[], line: number): void {
  const place = found.length;
  let text = "";
  for (let next = cursor.take(); next !== "`" && !cursor.isAtEnd; next = cursor.take()) {
    if (next === "\\") text += escaped(cursor);
    else if (next === "$" && cursor.startsWith("{")) {
      cursor.take();
      scan(cursor, found, "}");
      text += "…";
    } else text += next;
  }
  // A template stands before the literals inside it, as in the source.
  found.splice(place, 0, { line, text });
}

function escaped(cursor: Cursor): string {
  const next = cursor.take();
  return next === "n" ? "\n" : next === "t" ? "\t" : next;
}

/** Whether a slash after this text begins a regular expression; else it divides. */
const beginsExpression = (before: string): boolean =>
  /(?:^|[(,=:[!&|?{};+\-*%<>~^]|\b(?:return|typeof|case|in|of|do|else|await|void))\s*$/.test(before);

function skipExpression(cursor: Cursor): void {
  cursor.take();
  let isInClass = false;
  for (let next = cursor.take(); !cursor.isAtEnd; next = cursor.take()) {
    if (next === "\\") cursor.take();
    else if (next === "[") isInClass = true;
    else if (next === "]") isInClass = false;
    else if (next === "\n" || (next === "/" && !isInClass)) return;
  }
}
