import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign, verify } from "node:crypto";
import { isObject, type JsonObject } from "@trivium/std";

/** Signs and reads JSON web tokens with one key of the curve P-256 (ES256). */
export interface TokenKey {
  sign(claims: JsonObject): string;
  /** The claims of a token that this key signed; undefined for every other text. */
  read(token: string): JsonObject | undefined;
}

export function tokenKeyOf(privateKeyPem: string): TokenKey {
  const secret = createPrivateKey(privateKeyPem);
  const known = createPublicKey(secret);
  const header = encode({ alg: "ES256", kid: keyId(known) });
  return {
    sign: (claims) => {
      const signingInput = `${header}.${encode(claims)}`;
      const signature = sign("sha256", Buffer.from(signingInput), { key: secret, dsaEncoding: "ieee-p1363" });
      return `${signingInput}.${signature.toString("base64url")}`;
    },
    read: (token) => {
      const [head, payload = "", signature = "", ...more] = token.split(".");
      // Our own header, letter by letter: no other key and no other algorithm is ever tried.
      if (head !== header || more.length > 0) return undefined;
      const bytes = Buffer.from(signature, "base64url");
      const key = { key: known, dsaEncoding: "ieee-p1363" } as const;
      if (!verify("sha256", Buffer.from(`${head}.${payload}`), key, bytes)) return undefined;
      const claims: unknown = JSON.parse(Buffer.from(payload, "base64url").toString("utf8"));
      return isObject(claims) ? claims : undefined;
    },
  };
}

const encode = (value: JsonObject): string => Buffer.from(JSON.stringify(value)).toString("base64url");

/** The digest of the public key, by which a real server names its keys too. */
function keyId(key: KeyObject): string {
  return createHash("sha256")
    .update(key.export({ type: "spki", format: "der" }))
    .digest("base64url");
}
