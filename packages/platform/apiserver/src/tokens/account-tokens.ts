import { randomUUID } from "node:crypto";
import { getOwn, isObject, type Json, type JsonObject } from "@trivium/std";
import type { AccountToken, AccountTokens, BoundObject, TokenRequest } from "../ports.ts";
import { tokenKeyOf } from "./jwt.ts";

/** Who signs the tokens, and whom they are for when the caller does not say: this API. */
export const issuer = "https://kubernetes.default.svc";

/** Tokens whose signature was checked lately: the same few come with every request. */
const maxRemembered = 1000;

/** Tokens of service accounts with the claims of a real server, signed with a private key given as PEM. */
export function createAccountTokens(privateKeyPem: string): AccountTokens {
  const key = tokenKeyOf(privateKeyPem);
  const remembered = new Map<string, AccountToken>();
  return {
    issue: (request) => key.sign(claimsOf(request)),
    read: (token) => {
      const known = remembered.get(token);
      if (known !== undefined) return known;
      const claims = key.read(token);
      const read = claims === undefined ? undefined : tokenOf(claims);
      if (read === undefined) return undefined;
      if (remembered.size >= maxRemembered) remembered.clear();
      remembered.set(token, read);
      return read;
    },
  };
}

function claimsOf({ namespace, serviceAccount: name, uid, bound, ...request }: TokenRequest): JsonObject {
  const at = Math.floor(request.issued / 1000);
  const boundTo = bound === undefined ? {} : { [bound.kind.toLowerCase()]: { name: bound.name, uid: bound.uid } };
  return {
    aud: [...request.audiences],
    exp: Math.floor(request.expires / 1000),
    iat: at,
    iss: issuer,
    jti: randomUUID(),
    "kubernetes.io": { namespace, ...boundTo, serviceaccount: { name, uid } },
    nbf: at,
    sub: `system:serviceaccount:${namespace}:${name}`,
  };
}

function tokenOf(claims: JsonObject): AccountToken | undefined {
  const own = claims["kubernetes.io"];
  const { exp, nbf, jti, aud, iss } = claims;
  const account = isObject(own) ? nameAndUid(own.serviceaccount) : undefined;
  if (!isObject(own) || account === undefined || iss !== issuer) return undefined;
  if (typeof exp !== "number" || typeof nbf !== "number" || typeof own.namespace !== "string") return undefined;
  return {
    namespace: own.namespace,
    serviceAccount: account.name,
    uid: account.uid,
    audiences: Array.isArray(aud) ? aud.map(String) : [],
    issued: nbf * 1000,
    expires: exp * 1000,
    id: String(jti),
    bound: boundOf(own),
  };
}

function boundOf(own: JsonObject): BoundObject | undefined {
  for (const kind of ["Pod", "Secret"] as const) {
    const found = nameAndUid(getOwn(own, kind.toLowerCase()));
    if (found !== undefined) return { kind, ...found };
  }
  return undefined;
}

function nameAndUid(value: Json | undefined): { name: string; uid: string } | undefined {
  if (!isObject(value) || typeof value.name !== "string" || typeof value.uid !== "string") return undefined;
  return { name: value.name, uid: value.uid };
}
