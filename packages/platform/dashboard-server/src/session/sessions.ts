import { createHash, randomBytes } from "node:crypto";
import type { Connection, KeptSession } from "../connection.ts";
import type { UserInfo } from "../contract.ts";
import { Refused } from "../http/fault.ts";

/** One log-in. Its id is in a cookie of one browser; everything else stays here. */
export interface Session {
  readonly connection: Connection;
  readonly user: UserInfo;
  /** Aborts when the session ends: what runs for it ends with it. */
  readonly signal: AbortSignal;
  /** Streams that are open for it. */
  streams: number;
}

export interface SessionLimits {
  readonly idleMs: number;
  readonly totalMs: number;
  readonly maxSessions: number;
  /** One user cannot take the sessions of all. */
  readonly maxSessionsPerUser: number;
}

export const defaultLimits: SessionLimits = {
  idleMs: 8 * 60 * 60_000,
  totalMs: 24 * 60 * 60_000,
  maxSessions: 1_000,
  maxSessionsPerUser: 20,
};

export interface NewSession {
  readonly connection: Connection;
  readonly user: UserInfo;
  /** When the token itself expires. */
  readonly expiresAt?: number | undefined;
  /** Whether the session ends when the API refuses its token: another log-in brings another one. */
  readonly endsWithToken?: boolean;
}

interface Held {
  readonly session: Session;
  readonly ending: AbortController;
  readonly endsAt: number;
  usedAt: number;
}

/** Sessions by the digest of their id, so that looking one up takes the same time for a guess that is nearly right. */
export class Sessions {
  readonly #held = new Map<string, Held>();
  readonly #limits: SessionLimits;
  readonly #now: () => number;
  #save: ((list: readonly KeptSession[]) => void) | undefined;

  constructor(limits: SessionLimits, now: () => number) {
    this.#limits = limits;
    this.#now = now;
  }

  /** Sessions of the process before this one; `save` gets the list after each change. */
  continue(kept: readonly KeptSession[], connection: Connection, save: (list: readonly KeptSession[]) => void): void {
    for (const { key, endsAt, user } of kept) {
      const ending = new AbortController();
      const session = { connection, user, signal: ending.signal, streams: 0 };
      this.#held.set(key, { session, ending, endsAt, usedAt: this.#now() });
    }
    this.#save = save;
  }

  /** A new session under a new id; an id that a browser brought along is never taken over. */
  open(fresh: NewSession): string {
    this.sweep();
    this.#endOldestOf(fresh.user.name);
    if (this.#held.size >= this.#limits.maxSessions)
      throw new Refused("TooManyRequests", "Too many sessions are open; log out of one, or try again later");
    const id = randomBytes(32).toString("base64url");
    const ending = new AbortController();
    const now = this.#now();
    const connection = fresh.endsWithToken ? watched(fresh.connection, () => this.close(id)) : fresh.connection;
    const session = { connection, user: fresh.user, signal: ending.signal, streams: 0 };
    const endsAt = Math.min(now + this.#limits.totalMs, fresh.expiresAt ?? Number.POSITIVE_INFINITY);
    this.#held.set(keyOf(id), { session, ending, endsAt, usedAt: now });
    this.#changed();
    return id;
  }

  /** The session of an id while it lasts; using it keeps it from going idle. */
  find(id: string | undefined): Session | undefined {
    if (id === undefined) return undefined;
    const key = keyOf(id);
    const held = this.#held.get(key);
    if (held === undefined) return undefined;
    if (this.#isOver(held)) return void this.#end(key, held);
    held.usedAt = this.#now();
    return held.session;
  }

  close(id: string | undefined): void {
    if (id === undefined) return;
    const key = keyOf(id);
    const held = this.#held.get(key);
    if (held !== undefined) this.#end(key, held);
  }

  /** Ends what is over without a request that finds it so: streams that are still open. */
  sweep(): void {
    for (const [key, held] of this.#held) if (this.#isOver(held)) this.#end(key, held);
  }

  /** What is kept continues in the next process. */
  closeAll(): void {
    this.#save = undefined;
    for (const [key, held] of this.#held) this.#end(key, held);
  }

  /** A further log-in of a user with many sessions ends the one that was not used for longest. */
  #endOldestOf(name: string): void {
    const own = [...this.#held].filter(([, { session }]) => session.user.name === name);
    if (own.length < this.#limits.maxSessionsPerUser) return;
    const [oldest] = own.sort(([, a], [, b]) => a.usedAt - b.usedAt);
    if (oldest !== undefined) this.#end(...oldest);
  }

  #changed(): void {
    this.#save?.([...this.#held].map(([key, { endsAt, session }]) => ({ key, endsAt, user: session.user })));
  }

  /** An open stream is use. */
  #isOver({ endsAt, usedAt, session }: Held): boolean {
    const now = this.#now();
    return now >= endsAt || (session.streams === 0 && now >= usedAt + this.#limits.idleMs);
  }

  #end(key: string, { session, ending }: Held): void {
    this.#held.delete(key);
    this.#changed();
    ending.abort();
    void session.connection.close?.().catch(() => undefined);
  }
}

/** The same connection; tells when its login is refused. */
const watched = (connection: Connection, refused: () => void): Connection => ({
  ...connection,
  async transport(request) {
    const response = await connection.transport(request);
    if (response.status === 401) refused();
    return response;
  },
});

const keyOf = (id: string): string => createHash("sha256").update(id).digest("base64url");
