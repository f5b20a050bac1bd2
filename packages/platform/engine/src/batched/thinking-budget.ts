/** Ends the reasoning of a model that thinks longer than it may. */
export class ThinkingBudget {
  readonly #start: string;
  readonly #end: string;
  readonly #most: number;
  #tokens = 0;
  #isSpent = false;

  constructor(most: number, start: string, end: string) {
    this.#most = most;
    this.#start = start;
    this.#end = end;
  }

  /** True once, when the reasoning has to end now. `text` is the prompt's end and all of the answer. */
  isUp(text: string): boolean {
    if (this.#isSpent) return false;
    const begun = text.lastIndexOf(this.#start);
    if (begun < 0 || text.indexOf(this.#end, begun) >= 0) return false;
    this.#isSpent = this.#tokens++ >= this.#most;
    return this.#isSpent;
  }
}
