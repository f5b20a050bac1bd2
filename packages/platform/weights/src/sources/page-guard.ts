import { WeightsError } from "../fault.ts";

/** More pages than any list of files has. */
const maxPages = 10_000;

/** Follows a list over its pages, and no server can make that last for ever: not by naming a page again, nor by new ones without end. */
export class PageGuard {
  readonly #shownAs: string;
  readonly #observed = new Set<string>();

  constructor(shownAs: string) {
    this.#shownAs = shownAs;
  }

  /** To be called with what names the next page; gives it back. */
  next(page: string | undefined): string | undefined {
    if (page === undefined) return undefined;
    if (this.#observed.has(page)) throw this.#endless("the server returned a page of its list twice");
    if (this.#observed.size >= maxPages) throw this.#endless(`the list has more than ${maxPages} pages`);
    this.#observed.add(page);
    return page;
  }

  #endless(why: string): WeightsError {
    return new WeightsError("refused", "TooManyFiles", `${this.#shownAs}: ${why}`);
  }
}
