/** What the gateway must know of a request body, without making objects of the rest. */
export interface Fields {
  /** Value of `model`; nothing when it is missing. */
  readonly model: string | undefined;
  /** Where the value of `model` lies, quotes included. */
  readonly modelFrom: number;
  readonly modelTo: number;
  readonly isStream: boolean;
  /** Where the value of `messages`, `prompt` or `input` begins; -1 when there is none. */
  readonly textFrom: number;
}

export type Scan = { readonly is: "fields"; readonly fields: Fields } | { readonly is: "bad"; readonly why: string };

const deepest = 256;
const [quote, backslash, comma, colon] = [0x22, 0x5c, 0x2c, 0x3a];
const [openBrace, closeBrace, openBracket, closeBracket] = [0x7b, 0x7d, 0x5b, 0x5d];

class Malformed extends Error {}

/**
 * Walks over the frame of a JSON object: keys, brackets and strings. Two readers of a repeated `model` might each believe another
 * one, so that is refused. What is inside the values is the model server's to judge.
 */
export function scanFields(body: Buffer): Scan {
  try {
    return { is: "fields", fields: new Scanner(body).object() };
  } catch (error) {
    if (error instanceof Malformed) return { is: "bad", why: error.message };
    throw error;
  }
}

class Scanner {
  readonly #body: Buffer;
  #at = 0;

  constructor(body: Buffer) {
    this.#body = body;
  }

  object(): Fields {
    const fields = {
      model: undefined as string | undefined,
      modelFrom: -1,
      modelTo: -1,
      isStream: false,
      textFrom: -1,
    };
    this.#space();
    this.#expect(openBrace, "a JSON object");
    this.#space();
    if (this.#body[this.#at] === closeBrace) this.#at += 1;
    else this.#members(fields);
    this.#space();
    if (this.#at < this.#body.length) throw this.#malformed("the end of the body");
    return fields;
  }

  #members(fields: { -readonly [K in keyof Fields]: Fields[K] }) {
    for (;;) {
      this.#space();
      const key = this.#key();
      this.#space();
      this.#expect(colon, "a colon");
      this.#space();
      const from = this.#at;
      this.#value();
      this.#note(fields, key, from);
      this.#space();
      if (this.#body[this.#at] !== comma) return this.#expect(closeBrace, "a comma or the end of the object");
      this.#at += 1;
    }
  }

  #note(fields: { -readonly [K in keyof Fields]: Fields[K] }, key: string, from: number): void {
    switch (key) {
      case "model":
        if (fields.modelFrom !== -1) throw new Malformed("duplicate `model`");
        if (this.#body[from] !== quote) throw new Malformed("`model` must be a string");
        fields.model = this.#text(from, this.#at);
        fields.modelFrom = from;
        fields.modelTo = this.#at;
        break;
      case "stream":
        fields.isStream = this.#body[from] === 0x74; // true
        break;
      case "messages":
      case "prompt":
      case "input":
        fields.textFrom = from;
        break;
    }
  }

  #key(): string {
    const from = this.#at;
    if (this.#body[from] !== quote) throw this.#malformed("a key in double quotes");
    this.#string();
    return this.#text(from, this.#at);
  }

  /** One value, however deep, without recursion: depth comes from strangers. */
  #value(): void {
    const open: number[] = [];
    for (;;) {
      const byte = this.#body[this.#at];
      if (byte === openBrace || byte === openBracket) {
        if (open.length === deepest) throw new Malformed(`nested deeper than ${deepest} levels`);
        open.push(byte);
        this.#at += 1;
        this.#space();
        if (this.#body[this.#at] !== (byte === openBrace ? closeBrace : closeBracket)) {
          if (byte === openBrace) this.#innerKey();
          continue;
        }
        this.#at += 1;
        open.pop();
      } else this.#scalar();
      if (!this.#afterValue(open)) return;
    }
  }

  /** Goes on to the next value inside what is open; false when nothing is. */
  #afterValue(open: number[]): boolean {
    for (;;) {
      const inner = open.at(-1);
      if (inner === undefined) return false;
      this.#space();
      const byte = this.#body[this.#at];
      this.#at += 1;
      if (byte === comma) {
        this.#space();
        if (inner === openBrace) this.#innerKey();
        return true;
      }
      if (byte !== (inner === openBrace ? closeBrace : closeBracket)) {
        this.#at -= 1;
        throw this.#malformed("a comma or a closing bracket");
      }
      open.pop();
    }
  }

  #innerKey(): void {
    if (this.#body[this.#at] !== quote) throw this.#malformed("a key in double quotes");
    this.#string();
    this.#space();
    this.#expect(colon, "a colon");
    this.#space();
  }

  #scalar() {
    if (this.#body[this.#at] === quote) return this.#string();
    const from = this.#at;
    while (this.#at < this.#body.length && isBare(this.#body[this.#at] as number)) this.#at += 1;
    const word = this.#body.toString("latin1", from, Math.min(this.#at, from + 64));
    if (!/^(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)$/.test(word)) {
      this.#at = from;
      throw this.#malformed("a value");
    }
  }

  /** Long strings are images and books: the end is looked for natively, then checked for being escaped. */
  #string(): void {
    let end = this.#at;
    do {
      end = this.#body.indexOf(quote, end + 1);
      if (end === -1) throw new Malformed("unterminated string");
    } while (this.#isEscaped(end));
    this.#at = end + 1;
  }

  #isEscaped(at: number): boolean {
    let slashes = 0;
    while (this.#body[at - 1 - slashes] === backslash) slashes += 1;
    return slashes % 2 === 1;
  }

  #text(from: number, to: number): string {
    const raw = this.#body.toString("utf8", from + 1, to - 1);
    if (!raw.includes("\\")) return raw;
    try {
      return JSON.parse(`"${raw}"`) as string;
    } catch {
      throw new Malformed("invalid escape in a string");
    }
  }

  #space(): void {
    for (;;) {
      const byte = this.#body[this.#at];
      if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return;
      this.#at += 1;
    }
  }

  #expect(byte: number, what: string): void {
    if (this.#body[this.#at] !== byte) throw this.#malformed(what);
    this.#at += 1;
  }

  #malformed(expected: string): Malformed {
    return new Malformed(`expected ${expected} at byte ${this.#at}`);
  }
}

const isBare = (byte: number): boolean =>
  (byte >= 0x30 && byte <= 0x39) ||
  (byte >= 0x61 && byte <= 0x7a) ||
  byte === 0x2d ||
  byte === 0x2b ||
  byte === 0x2e ||
  byte === 0x45;

/** The same body with another `model`; every other byte is as it came. */
export function replaceModel(body: Buffer, { modelFrom, modelTo }: Fields, name: string): Buffer {
  return Buffer.concat([body.subarray(0, modelFrom), Buffer.from(JSON.stringify(name)), body.subarray(modelTo)]);
}

/** The same body for an adapter that llama.cpp knows by number. It comes first: a field `lora` of the caller is read after it and wins. */
export function requestAdapter(body: Buffer, id: number): Buffer {
  const from = body.indexOf(openBrace) + 1;
  return Buffer.concat([body.subarray(0, from), Buffer.from(`"lora":[{"id":${id},"scale":1}],`), body.subarray(from)]);
}

/** How a request begins, for sending those that begin alike to the same replica. */
export function prefixOf(body: Buffer, { textFrom }: Fields, length = 512): string | undefined {
  return textFrom === -1 ? undefined : body.toString("latin1", textFrom, textFrom + length);
}
