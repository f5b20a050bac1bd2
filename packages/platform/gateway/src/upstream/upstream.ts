import { type Clock, systemClock } from "@trivium/runtime";
import { gatewayHeader, gatewayProof, type Instant, type Millis } from "@trivium/std";
import { Pool } from "./http/pool.ts";
import type { HeaderList } from "./http/response-head.ts";

/** So long one that failed is avoided, doubled with each failure in a row. */
const firstBan: Millis = 1_000;
const longestBan: Millis = 30_000;

export interface UpstreamOptions {
  readonly clock: Clock;
  readonly connectTimeout: Millis;
  /** Shared with the model servers of this machine. It is never sent. */
  readonly token?: string | undefined;
}

/** One replica as the gateway deals with it: its connections, how much it has to do, whether it is to be avoided. */
export class Upstream {
  readonly authority: string;
  /** Requests that were given to it and have not ended. */
  outstanding = 0;
  readonly #options: UpstreamOptions;
  readonly #proof: readonly string[];
  #pool: Pool | undefined;
  #failures = 0;
  #bannedUntil: Instant = 0;
  #isRetired = false;

  constructor(authority: string, options: UpstreamOptions) {
    this.authority = authority;
    this.#options = options;
    const { token } = options;
    this.#proof = token === undefined ? [] : [gatewayHeader, gatewayProof(token, authority)];
  }

  get pool(): Pool {
    // A model may think for as long as it likes: only connecting has a limit of its own.
    // Connections live in the time of the machine: servers close them by it, whatever time a test has.
    this.#pool ??= new Pool(this.authority, { clock: systemClock, connectTimeout: this.#options.connectTimeout });
    return this.#pool;
  }

  /** Headers with the proof for this replica that the gateway accepted the caller. Another server cannot use it. */
  addProof(headers: HeaderList): HeaderList {
    return this.#proof.length === 0 ? headers : [...headers, ...this.#proof];
  }

  get isBanned(): boolean {
    return this.#failures > 0 && this.#bannedUntil > this.#options.clock.now();
  }

  reserve(): this {
    this.outstanding += 1;
    return this;
  }

  release(): void {
    this.outstanding -= 1;
    if (this.#isRetired && this.outstanding === 0) this.#close();
  }

  noteSuccess(): void {
    this.#failures = 0;
  }

  /** It could not be reached, or hung up: others are tried first for a while. */
  noteFailure(): void {
    this.#failures += 1;
    const ban = Math.min(longestBan, firstBan * 2 ** (this.#failures - 1));
    this.#bannedUntil = this.#options.clock.now() + ban;
  }

  /** No new requests come; connections close when the last stream has ended. */
  retire(): void {
    this.#isRetired = true;
    if (this.outstanding === 0) this.#close();
  }

  destroy(): void {
    this.#pool?.destroy();
  }

  #close(): void {
    this.#pool?.close();
    this.#pool = undefined;
  }
}
