import { type EngineArgument, formatArgument, isFlagPresent } from "@trivium/engines";

/** Collects the arguments of an engine in order. What the user gives in `extraArgs` wins: it is not said a second time. */
export class Arguments {
  readonly #reported: string[] = [];
  readonly #extra: readonly string[];

  constructor(extra: readonly string[] | undefined) {
    this.#extra = extra ?? [];
  }

  has(flag: string): boolean {
    return isFlagPresent(this.#extra, flag);
  }

  /** A word that has no flag. */
  word(text: string): this {
    this.#reported.push(text);
    return this;
  }

  words(texts: readonly string[]): this {
    this.#reported.push(...texts);
    return this;
  }

  /** A flag with its value; nothing when there is no value. */
  value(flag: string, value: string | number | undefined): this {
    if (value !== undefined && value !== "" && !this.has(flag)) this.#reported.push(flag, String(value));
    return this;
  }

  /** A flag that stands alone. */
  flag(flag: string, isWanted: boolean | undefined): this {
    if (isWanted === true && !this.has(flag)) this.#reported.push(flag);
    return this;
  }

  /** What an engine of the middle planned. A flag that is repeated adds to those of the user. */
  planned(args: readonly EngineArgument[]): this {
    for (const one of args) if (one.form === "repeated" || !this.has(one.flag)) this.words(formatArgument(one));
    return this;
  }

  /** A flag that comes once for each value. */
  each(flag: string, values: readonly string[] | undefined): this {
    for (const value of values ?? []) this.#reported.push(flag, value);
    return this;
  }

  /** Everything so far, and then what the user adds. */
  finish(): string[] {
    return [...this.#reported, ...this.#extra];
  }
}
