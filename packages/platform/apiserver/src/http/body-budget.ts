import { refusal } from "../refusals.ts";

/** Bytes of request bodies that the server holds at once. Without it, a client with many connections could fill its memory. */
export class BodyBudget {
  #left: number;

  constructor(bytes: number) {
    this.#left = bytes;
  }

  /** Takes bytes for one request, or refuses it: the client can try again when others are done. */
  take(bytes: number): void {
    if (bytes > this.#left) throw tooBusy();
    this.#left -= bytes;
  }

  give(bytes: number): void {
    this.#left += bytes;
  }
}

const tooBusy = () =>
  refusal(429, "TooManyRequests", "the server holds too many large request bodies at once; try again later", {
    retryAfterSeconds: 1,
  });
