import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

/** A token that can be exchanged once; the next one is published as soon as one was used. */
export class StartToken {
  readonly #publish: (token: string) => void;
  #current: Buffer;

  constructor(publish: (token: string) => void) {
    this.#publish = publish;
    this.#current = this.#renew();
  }

  /** Whether it was the current one, which it is not any more then. */
  exchange(token: string): boolean {
    if (!timingSafeEqual(digestOf(token), this.#current)) return false;
    this.#current = this.#renew();
    return true;
  }

  #renew(): Buffer {
    const token = randomBytes(24).toString("base64url");
    this.#publish(token);
    return digestOf(token);
  }
}

const digestOf = (token: string): Buffer => createHash("sha256").update(token).digest();
