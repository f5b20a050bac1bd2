import type { Generation } from "../generation.ts";
import type { Guesser } from "./guesser.ts";

export interface SpeculationParts {
  readonly guesser: Guesser;
  /** The fewest and the most tokens that are worth a check. */
  readonly min: number;
  readonly max: number;
  /** Tokens that native code computes at once. */
  readonly batchSize: number;
  readonly contextSize: number;
}

export type Guesses = ReadonlyMap<Generation, readonly number[]>;

/** Decides for which answers tokens are guessed, and how many: no more than the batch, the context and the request have space for. */
export class Speculation {
  readonly #parts: SpeculationParts;

  constructor(parts: SpeculationParts) {
    this.#parts = parts;
  }

  /** `textOf` is what native code has computed of an answer. */
  async guess(
    answering: readonly Generation[],
    textOf: (generation: Generation) => readonly number[],
  ): Promise<Guesses> {
    const guesses = new Map<Generation, readonly number[]>();
    const { guesser, min } = this.#parts;
    const each = Math.floor(this.#parts.batchSize / answering.length) - 1;
    for (const generation of answering) {
      const text = [...textOf(generation), generation.next!];
      const most = this.#space(each, text.length, generation);
      const guessed = most < Math.max(min, 1) ? [] : await guesser.guess(generation.run.slot, text, most);
      if (guessed.length === 0 || guessed.length < min) continue;
      guesses.set(generation, guessed);
      generation.guesses++;
      generation.guessed += guessed.length;
    }
    return guesses;
  }

  /** The model chooses the token after the last guessed one as well. */
  #space(ofBatch: number, length: number, { remaining }: Generation): number {
    return Math.min(this.#parts.max, ofBatch, remaining - 1, this.#parts.contextSize - length - 1);
  }
}
