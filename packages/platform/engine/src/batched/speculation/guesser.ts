/** Guesses what comes next, so that the model checks several tokens in one step. A wrong guess costs time, never the answer. */
export interface Guesser {
  /** At most so many tokens that may follow the text of a slot. */
  guess(slot: number, text: readonly number[], most: number): Promise<readonly number[]>;
}
