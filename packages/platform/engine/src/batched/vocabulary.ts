import type { AddonModel } from "../addon.ts";
import type { ModelFile } from "../model/messages.ts";

/** Bits of `getTokenAttributes`. */
const unknown = 1;
const control = 1 << 3;
const userDefined = 1 << 4;
const byte = 1 << 5;

/** Numbers of `getVocabularyType`. */
const bytePairs = 2;
const wordPieces = 3;

/** Texts and tokens, as the model was trained to see them. */
export class Vocabulary {
  readonly bos: number;
  readonly #model: AddonModel;
  readonly #kind: number;
  readonly #pieces = new Map<number, Buffer>();
  readonly #size: number;
  readonly #separates: boolean;
  #ofBytes: readonly number[] | undefined;
  #ends: readonly number[] | undefined;

  constructor(model: AddonModel, { vocabulary, separates }: Pick<ModelFile, "vocabulary" | "separates">) {
    this.#model = model;
    this.#size = vocabulary;
    this.#separates = separates;
    this.#kind = model.getVocabularyType();
    this.bos = model.shouldPrependBosToken() ? model.tokenBos() : -1;
  }

  tokenize(text: string, readSpecial = true): Uint32Array {
    return this.#model.tokenize(text, readSpecial);
  }

  /** A whole prompt: with the tokens that the model expects around it, each once. */
  complete(tokens: readonly number[]): number[] {
    const start = this.bos >= 0 && tokens[0] !== this.bos ? [this.bos] : [];
    const end = this.#endToken();
    const isEnded = end < 0 || (tokens.length > 0 && tokens.at(-1) === end);
    return isEnded ? [...start, ...tokens] : [...start, ...tokens, end];
  }

  /** Two texts as a model that ranks was trained to see them. */
  pair(query: string, document: string): number[] {
    const one = (token: number, isWanted: boolean): number[] => (isWanted && token >= 0 ? [token] : []);
    const eos = this.#model.tokenEos() >= 0 ? this.#model.tokenEos() : this.#model.sepToken();
    const isEnded = this.#model.shouldAppendEosToken();
    return [
      ...one(this.bos, true),
      ...this.tokenize(query),
      ...one(eos, isEnded),
      ...one(this.#model.sepToken(), this.#separates || this.#kind === wordPieces),
      ...this.tokenize(document),
      ...one(eos, isEnded),
    ];
  }

  #endToken(): number {
    if (this.#kind === wordPieces) return this.#model.sepToken();
    return this.#model.shouldAppendEosToken() ? this.#model.tokenEos() : -1;
  }

  has(token: number): boolean {
    return Number.isInteger(token) && token >= 0 && token < this.#size;
  }

  isEnd(token: number): boolean {
    return this.#model.isEogToken(token);
  }

  /** Tokens after which a text is over. */
  ends(): readonly number[] {
    this.#ends ??= Array.from({ length: this.#size }, (_, token) => token).filter((token) => this.isEnd(token));
    return this.#ends;
  }

  isSpecial(token: number): boolean {
    return (this.#model.getTokenAttributes(token) & (unknown | control)) !== 0;
  }

  /** The bytes that a token stands for: a token may be a part of a character. */
  bytesOf(token: number): Buffer {
    const known = this.#pieces.get(token);
    if (known !== undefined) return known;
    const bytes = this.#decode(token);
    this.#pieces.set(token, bytes);
    return bytes;
  }

  #decode(token: number): Buffer {
    const text = this.#model.getTokenString(token);
    const attributes = this.#model.getTokenAttributes(token);
    if ((attributes & byte) !== 0) return Buffer.of(Number.parseInt(text.slice(3, 5), 16));
    if ((attributes & (unknown | control | userDefined)) !== 0) return Buffer.from(text);
    if (this.#kind === bytePairs) return Buffer.from(Array.from(text, (char) => byteOfChar.get(char) ?? 0x3f));
    if (this.#kind <= wordPieces + 1) return Buffer.from(text.replaceAll("\u2581", " "));
    return Buffer.from(this.#model.detokenize(Uint32Array.of(token), true));
  }

  /** The text of tokens; special ones are shown. */
  textOf(tokens: readonly number[]): string {
    return Buffer.concat(tokens.map((token) => this.bytesOf(token))).toString("utf8");
  }

  /** Text as tokens of a byte each: what a grammar can be fed with wherever the borders of tokens are. */
  byteTokens(text: string): number[] {
    this.#ofBytes ??= this.#findByteTokens();
    return [...Buffer.from(text)].flatMap((value) => this.#ofBytes![value] ?? []);
  }

  #findByteTokens(): readonly number[] {
    const found: number[] = [];
    for (let token = 0; token < this.#size; token++) {
      if (this.isSpecial(token)) continue;
      const bytes = this.bytesOf(token);
      if (bytes.length === 1) found[bytes[0]!] ??= token;
    }
    return found;
  }
}

/** Vocabularies of byte pairs show each byte as a printable character: those that are none are moved behind the first 256. */
const byteOfChar: ReadonlyMap<string, number> = (() => {
  const isPrintable = (value: number): boolean =>
    (value >= 0x21 && value <= 0x7e) || (value >= 0xa1 && value <= 0xac) || (value >= 0xae && value <= 0xff);
  let moved = 256;
  return new Map(
    Array.from({ length: 256 }, (_, value) => [String.fromCodePoint(isPrintable(value) ? value : moved++), value]),
  );
})();
