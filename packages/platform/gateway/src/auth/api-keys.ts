import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import type { Ref, Secret } from "@trivium/kube";
import { type Failure, fail } from "../failure.ts";

const digest = (key: string): Buffer => createHash("sha256").update(key).digest();

export interface KeySources {
  /** Keys that were given at the start. */
  readonly fixed: readonly string[];
  /** A Secret, every value of which is a key; it is read again whenever it changes. */
  readonly secret?: { readonly ref: Ref; read(): Secret | undefined } | undefined;
}

/** The keys that callers may have. Kept and compared as digests, in the same time whether right or wrong. */
export class ApiKeys {
  readonly #sources: KeySources;
  readonly #fixed: readonly Buffer[];
  #secret: Secret | undefined;
  #digests: readonly Buffer[];

  constructor(sources: KeySources) {
    this.#sources = sources;
    this.#fixed = sources.fixed.map(digest);
    this.#digests = this.#fixed;
  }

  /** Why a request may not pass; nothing when it may. */
  refuse(headers: IncomingHttpHeaders): Failure | undefined {
    const digests = this.#current();
    if (digests.length === 0) {
      const { namespace, name } = this.#sources.secret?.ref ?? {};
      return fail(503, "no_api_keys", `Secret ${namespace}/${name} with the API keys is missing or empty; create it`);
    }
    const key = keyOf(headers);
    if (key === undefined) {
      return fail(401, "missing_api_key", "Missing API key; send it as Authorization: Bearer <key>");
    }
    const presented = digest(key);
    let isKnown = false;
    for (const known of digests) isKnown = timingSafeEqual(known, presented) || isKnown;
    return isKnown ? undefined : fail(401, "invalid_api_key", "Invalid API key");
  }

  #current(): readonly Buffer[] {
    const secret = this.#sources.secret?.read();
    if (secret === this.#secret) return this.#digests;
    this.#secret = secret;
    const values = Object.values(secret?.data ?? {}).map((value) =>
      Buffer.from(value as string, "base64")
        .toString("utf8")
        .trim(),
    );
    this.#digests = [...this.#fixed, ...values.filter((value) => value !== "").map(digest)];
    return this.#digests;
  }
}

function keyOf(headers: IncomingHttpHeaders): string | undefined {
  const bearer = /^Bearer +(\S+)$/i.exec(headers.authorization ?? "")?.[1];
  const plain = headers["x-api-key"];
  return bearer ?? (typeof plain === "string" ? plain : undefined);
}

/** Headers that carried a key for us and are no business of the model server. */
export const keyHeaders: ReadonlySet<string> = new Set(["authorization", "x-api-key"]);
