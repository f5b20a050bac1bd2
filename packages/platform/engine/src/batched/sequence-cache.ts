import type { AddonContext } from "../addon.ts";
import { commonPrefix } from "./prefix.ts";

/** A copy moves the whole cache of a sequence; below this many tokens computing them again costs no more. */
const worthCopying = 64;

/** What native code keeps of each sequence, and how much of it the next prompt can use. */
export class SequenceCache {
  readonly #context: AddonContext;
  readonly #tokens: number[][];
  /** With which adapters a sequence was computed. */
  readonly #scales: string[];
  /** How far back a model looks whose cache forgets; undefined for one that keeps all. */
  readonly #window: number | undefined;

  constructor(context: AddonContext, count: number, window: number | undefined) {
    this.#context = context;
    this.#tokens = Array.from({ length: count }, () => []);
    this.#scales = Array.from({ length: count }, () => "");
    this.#window = window;
  }

  tokensOf(sequence: number): readonly number[] {
    return this.#tokens[sequence]!;
  }

  /** Native code has computed these. */
  add(sequence: number, tokens: ArrayLike<number>): void {
    this.#tokens[sequence]!.push(...Array.from(tokens));
  }

  /** Forgets what comes after so many tokens; only for models that can take tokens back. */
  cut(sequence: number, length: number): void {
    const known = this.#tokens[sequence]!;
    if (length >= known.length) return;
    known.length = length;
    this.#context.removeTokenCellsFromSequence(sequence, length, -1);
  }

  clear(sequence: number): void {
    this.#tokens[sequence] = [];
    this.#context.disposeSequence(sequence);
  }

  /**
   * Prepares a sequence for a prompt: its common start with what it knows, or with what another sequence of the same adapters knows, is kept. Returns
   * how many tokens that are; the last one of a prompt is always computed, for what follows it.
   */
  async reuse(sequence: number, prompt: ArrayLike<number>, scales = ""): Promise<number> {
    if (this.#scales[sequence] !== scales) this.clear(sequence);
    this.#scales[sequence] = scales;
    await this.#copyBetter(sequence, prompt);
    const known = this.#tokens[sequence]!;
    const kept = Math.min(commonPrefix(known, prompt), prompt.length - 1);
    if (kept === known.length) return kept;
    const canKeep = kept > 0 && this.#hasAllBefore(sequence, kept);
    if (!canKeep || !this.#context.removeTokenCellsFromSequence(sequence, kept, -1)) {
      this.clear(sequence);
      return 0;
    }
    known.length = kept;
    return kept;
  }

  async #copyBetter(sequence: number, prompt: ArrayLike<number>): Promise<void> {
    let source = sequence;
    let most = commonPrefix(this.#tokens[sequence]!, prompt) + worthCopying;
    for (const [other, tokens] of this.#tokens.entries()) {
      const common = this.#scales[other] === this.#scales[sequence] ? commonPrefix(tokens, prompt) : 0;
      if (common <= most) continue;
      source = other;
      most = common;
    }
    if (source === sequence) return;
    const tokens = this.#tokens[source]!.slice();
    this.clear(sequence);
    await this.#context.copySequenceStateFromOtherSequence(sequence, source);
    this.#tokens[sequence] = tokens;
  }

  #hasAllBefore(sequence: number, position: number): boolean {
    const first = this.#context.getSequenceKvCacheMinPosition(sequence);
    return first <= 0 || (this.#window !== undefined && first <= position - this.#window);
  }
}
