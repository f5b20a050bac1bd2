import type { AddonContext } from "../addon.ts";

export interface EmbedderParts {
  readonly context: AddonContext;
  /** Each token for itself, instead of one vector for all of them. */
  readonly isPerToken: boolean;
  /** So many tokens are computed at once, where the vector is that of the last token; the others need all tokens together. */
  readonly pieceSize: number;
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
    const { context, isPerToken, pieceSize, sequence } = this.#parts;
    context.disposeSequence(sequence);
    const size = isPerToken ? 1 : pieceSize;
    const vectors: number[][] = [];
    for (let at = 0; at < tokens.length; at += size) vectors.push(await this.#compute(tokens.slice(at, at + size), at));
    return isPerToken ? vectors : vectors.slice(-1);
  }

  async #compute(tokens: readonly number[], position: number): Promise<number[]> {
    const { context, sequence } = this.#parts;
    context.initBatch(tokens.length);
    context.addToBatch(sequence, position, Uint32Array.from(tokens), Uint32Array.from(tokens.keys()));
    await context.decodeBatch();
    return [...context.getEmbedding(tokens.length)];
  }
}
