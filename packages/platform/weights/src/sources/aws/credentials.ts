import type { Millis } from "@trivium/std";
import type { AwsCredentials } from "../s3/sigv4.ts";

/** Keys that may run out. */
export interface IssuedCredentials extends AwsCredentials {
  readonly expiresAt?: Millis;
}

/** Keys as they are at the moment of a request; undefined for anonymous. */
export type AwsLogin = (signal: AbortSignal) => Promise<AwsCredentials | undefined>;

/** Keys are renewed so long before they run out that a request signed with them is still answered. */
const spareMs = 5 * 60_000;

/**
 * Remembers what `issue` gave until shortly before it runs out. Many connections that ask at once cause one call. If a renewal fails
 * while the old keys still hold, they serve on.
 */
export function renewing(
  issue: (signal: AbortSignal) => Promise<IssuedCredentials | undefined>,
  now: () => Millis = Date.now,
): AwsLogin {
  let known: { keys: IssuedCredentials | undefined } | undefined;
  let asking: Promise<IssuedCredentials | undefined> | undefined;
  const timeLeft = () => (known?.keys?.expiresAt ?? Number.POSITIVE_INFINITY) - now();
  const renew = async (signal: AbortSignal): Promise<IssuedCredentials | undefined> => {
    try {
      known = { keys: await issue(signal) };
    } catch (error) {
      if (known === undefined || timeLeft() <= 0) throw error;
    }
    return known.keys;
  };
  return async (signal) => {
    if (known !== undefined && timeLeft() > spareMs) return known.keys;
    asking ??= renew(signal).finally(() => {
      asking = undefined;
    });
    return asking;
  };
}
