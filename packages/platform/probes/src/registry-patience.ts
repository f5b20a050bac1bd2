import { type HttpAnswer, type HttpClient, parseRetryAfter, WeightsError } from "@trivium/weights";

const longest = 3_600_000;
const maxRemembered = 1_000;

/**
 * Servers say how long they want to be left alone, and are. Whoever asks with another login has limits of his own, so that one tenant's do
 * not keep another waiting.
 */
export class Patience {
  readonly #now: () => number;
  readonly #until = new Map<string, number>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** The client as one that asks with these logins may use it. */
  clientFor(who: string, client: HttpClient): HttpClient {
    return {
      close: () => client.close(),
      send: async (wanted) => {
        const { host } = wanted.url;
        const place = `${who} ${host}`;
        this.#refuse(host, this.#until.get(place));
        const answer = await client.send(wanted);
        const wait = waitOf(answer, this.#now());
        if (wait === undefined) return answer;
        await answer.body.dump({ limit: 65_536 }).catch(() => {});
        this.#remember(place, this.#now() + wait);
        throw this.#fault(host, this.#now() + wait);
      },
    };
  }

  #refuse(host: string, until: number | undefined): void {
    if (until !== undefined && until > this.#now()) throw this.#fault(host, until);
  }

  #fault(host: string, until: number): WeightsError {
    // Without the time: it would be another message, and another status, each time.
    const message = `${host} limits the request rate; retrying automatically after the wait it requests`;
    return new WeightsError("unreachable", "Unreachable", message, {
      isOverload: true,
      retryAfterMs: until - this.#now(),
    });
  }

  #remember(place: string, until: number): void {
    const now = this.#now();
    if (this.#until.size >= maxRemembered)
      for (const [key, at] of this.#until) if (at <= now || this.#until.size >= maxRemembered) this.#until.delete(key);
    this.#until.set(place, until);
  }
}

/** Nothing where the server has no such wish. GitHub says 403 where its limit is reached, and when that is over. */
function waitOf({ status, headers }: HttpAnswer, now: number): number | undefined {
  if (status === 429 || status === 503)
    return parseRetryAfter(headers("retry-after"), now) ?? untilSecond(headers("x-retry-after"), now);
  const isSpent = status === 403 && headers("x-ratelimit-remaining") === "0";
  return isSpent ? (untilSecond(headers("x-ratelimit-reset"), now) ?? longest) : undefined;
}

/** A point in time, in seconds. At most an hour, so that nobody can park us. */
function untilSecond(text: string | undefined, now: number): number | undefined {
  if (text === undefined || !/^\d{1,12}$/.test(text.trim())) return undefined;
  return Math.min(longest, Math.max(0, Number(text) * 1_000 - now));
}
