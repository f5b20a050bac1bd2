import type { AddonContext, AddonSampler } from "../../addon.ts";
import { SequenceCache } from "../sequence-cache.ts";
import type { Guesser } from "./guesser.ts";

export interface DraftParts {
  readonly context: AddonContext;
  /** Takes the likeliest token. */
  readonly sampler: AddonSampler;
  readonly slots: number;
  readonly batchSize: number;
  /** A token that the draft holds less likely ends the guess. */
  readonly minChance: number;
  isEnd(token: number): boolean;
}

/** Guesses with a smaller model of the same vocabulary. It keeps the text of each slot, as the served model does. */
export class DraftGuesser implements Guesser {
  readonly #parts: DraftParts;
  readonly #cache: SequenceCache;

  constructor(parts: DraftParts) {
    this.#parts = parts;
    this.#cache = new SequenceCache(parts.context, parts.slots, undefined);
  }

  async guess(slot: number, text: readonly number[], most: number): Promise<readonly number[]> {
    try {
      const known = await this.#cache.reuse(slot, text);
      return await this.#continue(slot, text.slice(known), most);
    } catch {
      // What the draft computed so far is unknown. The answer goes on without its guess.
      this.#cache.clear(slot);
      return [];
    }
  }

  async #continue(slot: number, unread: readonly number[], most: number): Promise<readonly number[]> {
    const { minChance, isEnd } = this.#parts;
    const guessed: number[] = [];
    let tokens = unread;
    while (guessed.length < most) {
      const { token, chance } = await this.#likeliestAfter(slot, tokens);
      if (chance < minChance || isEnd(token)) break;
      guessed.push(token);
      tokens = [token];
    }
    return guessed;
  }

  async #likeliestAfter(slot: number, tokens: readonly number[]): Promise<{ token: number; chance: number }> {
    const { context, sampler, batchSize } = this.#parts;
    let place = 0;
    for (let from = 0; from < tokens.length; from += batchSize) {
      const part = Uint32Array.from(tokens.slice(from, from + batchSize));
      context.initBatch(part.length);
      const last = Uint32Array.of(part.length - 1);
      [place = 0] = context.addToBatch(slot, this.#cache.tokensOf(slot).length, part, last);
      this.#cache.add(slot, part);
      await context.decodeBatch();
    }
    const nothingElse = [[], false, false, true, 1] as const;
    const [token, , , , total = 1] = await context.sampleToken(place, sampler, false, false, nothingElse, true);
    return { token, chance: 1 / total };
  }
}
