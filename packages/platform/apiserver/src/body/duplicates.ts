import type { Json } from "@trivium/std";

/**
 * Paths of fields that a JSON text gives more than once, such as `spec.env[0].name`. `JSON.parse` keeps the last one and
 * says nothing. `value` is what the text says.
 */
export function duplicateFields(text: string, value: Json): string[] {
  // What a serializer writes back letter by letter has no duplicates, and most clients send minified JSON.
  if (JSON.stringify(value) === text) return [];
  return new Scan(text).duplicates;
}

interface Level {
  /** Keys seen in an object; undefined in an array. */
  readonly keys: Set<string> | undefined;
  readonly path: string;
  index: number;
}

class Scan {
  readonly duplicates: string[] = [];
  readonly #text: string;
  readonly #levels: Level[] = [];
  #at = 0;
  #key: string | undefined;

  constructor(text: string) {
    this.#text = text;
    while (this.#at < text.length) this.#step();
  }

  #step(): void {
    const char = this.#text[this.#at] as string;
    const level = this.#levels.at(-1);
    this.#at++;
    if (char === '"') this.#string(level);
    else if (char === "{" || char === "[") this.#open(level, char === "{");
    else if (char === "}" || char === "]") this.#levels.pop();
    else if (char === "," && level !== undefined) level.index++;
    if (char === ",") this.#key = undefined;
  }

  #string(level: Level | undefined): void {
    const start = this.#at - 1;
    let end = this.#text.indexOf('"', this.#at);
    while (isEscaped(this.#text, end)) end = this.#text.indexOf('"', end + 1);
    this.#at = end + 1;
    if (level?.keys === undefined || this.#key !== undefined) return;
    const key = JSON.parse(this.#text.slice(start, this.#at)) as string;
    this.#key = key;
    if (level.keys.has(key)) this.duplicates.push(join(level.path, key));
    level.keys.add(key);
  }

  #open(level: Level | undefined, isObject: boolean): void {
    const path =
      level === undefined
        ? ""
        : level.keys === undefined
          ? `${level.path}[${level.index}]`
          : join(level.path, this.#key ?? "");
    this.#levels.push({ keys: isObject ? new Set() : undefined, path, index: 0 });
    this.#key = undefined;
  }
}

const join = (path: string, key: string): string => (path === "" ? key : `${path}.${key}`);

function isEscaped(text: string, quote: number): boolean {
  let slashes = 0;
  while (text[quote - 1 - slashes] === "\\") slashes++;
  return slashes % 2 === 1;
}
