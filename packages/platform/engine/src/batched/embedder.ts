import type { AddonContext } from "../addon.ts";

export interface EmbedderParts {
  readonly context: AddonContext;
  /** Each token for itself, instead of one vector for all of them. */
  readonly isPerToken: boolean;
  /** The sequence that native code reads vectors from. */
  readonly sequence: number;
}

/** Turns prompts into vectors, one prompt at a time: native code gives out the vector of one sequence only. */
export class Embedder {
  readonly #parts: EmbedderParts;

  constructor(parts: EmbedderParts) {
    this.#parts = parts;
  }

  async embed(tokens: readonly number[]): Promise<number[][]> {
    const { context, isPerToken, sequence } = this.#parts;
    context.disposeSequence(sequence);
    if (!isPerToken) return [await this.#compute(tokens, 0)];
    const vectors: number[][] = [];
    for (const [at, token] of tokens.entries()) vectors.push(await this.#compute([token], at));
    return vectors;
  }

  async #compute(tokens: readonly number[], position: number): Promise<number[]> {
    const { context, sequence } = this.#parts;
    context.initBatch(tokens.length);
    context.addToBatch(sequence, position, Uint32Array.from(tokens), Uint32Array.from(tokens.keys()));
    await context.decodeBatch();
    return [...context.getEmbedding(tokens.length)];
  }
}
