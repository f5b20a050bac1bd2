import { Refused } from "../http/fault.ts";

const window = 60_000;
const maxFailures = 60;
const maxAddresses = 10_000;

/** Failed log-ins by address: each guess is a call of the API server, so their number is limited. */
export class Attempts {
  readonly #failures = new Map<string, number[]>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  check(address: string): void {
    if (this.#recent(address).length < maxFailures) return;
    throw new Refused("TooManyRequests", "Too many failed log-ins; try again in a minute");
  }

  fail(address: string): void {
    if (this.#failures.size >= maxAddresses) this.#failures.clear();
    this.#failures.set(address, [...this.#recent(address), this.#now()]);
  }

  #recent(address: string): number[] {
    const since = this.#now() - window;
    return (this.#failures.get(address) ?? []).filter((at) => at > since);
  }
}
