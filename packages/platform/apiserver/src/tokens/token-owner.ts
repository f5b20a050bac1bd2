import type { Instant } from "@trivium/std";
import type { Identity } from "../identity.ts";
import type { AccountToken, AccountTokens } from "../ports.ts";
import type { Store } from "../store/store.ts";
import { issuer } from "./account-tokens.ts";

/** Whose token it is, or why it is nobody's. */
export type TokenOwner =
  | { readonly is: "known"; readonly identity: Identity; readonly audiences: readonly string[] }
  | { readonly is: "unknown"; readonly why: string };

interface Owners {
  readonly tokens: AccountTokens | undefined;
  readonly store: Store;
  now(): Instant;
}

const invalidToken = "invalid bearer token";
const unknown = (why = invalidToken): TokenOwner => ({ is: "unknown", why });

/** A token is good for as long as it lasts, and the account and the object it is bound to are the very same as then. */
export function ownerOfToken({ tokens, store, now }: Owners, token: string, audiences: readonly string[]): TokenOwner {
  const read = tokens?.read(token);
  if (read === undefined) return unknown();
  const wanted = audiences.length === 0 ? [issuer] : audiences;
  const met = read.audiences.filter((one) => wanted.includes(one));
  if (met.length === 0) return unknown(`[${invalidToken}, ${wrongAudience(read.audiences, wanted)}]`);
  if (now() >= read.expires) return unknown(`[${invalidToken}, service account token has expired]`);
  if (now() < read.issued - allowedSkew) return unknown(`[${invalidToken}, service account token is not valid yet]`);
  if (!isThere(store, "serviceaccounts", read)) return unknown(`[${invalidToken}, service account is gone]`);
  const { bound } = read;
  if (bound !== undefined && !isThere(store, `${bound.kind.toLowerCase()}s`, { ...bound, namespace: read.namespace }))
    return unknown(`[${invalidToken}, the ${bound.kind.toLowerCase()} it is bound to is gone]`);
  return { is: "known", identity: identityOf(read), audiences: met };
}

/** Clocks may be set back a little between the making of a token and its use. */
const allowedSkew = 60_000;

const wrongAudience = (given: readonly string[], wanted: readonly string[]): string =>
  `token audiences ${goList(given)} is invalid for the target audiences ${goList(wanted)}`;

const goList = (texts: readonly string[]): string => `[${texts.map((text) => JSON.stringify(text)).join(" ")}]`;

interface Named {
  readonly namespace: string;
  readonly serviceAccount?: string;
  readonly name?: string;
  readonly uid: string;
}

const isThere = (store: Store, resource: string, { namespace, serviceAccount, name, uid }: Named): boolean =>
  store.get({ resource, namespace, name: name ?? serviceAccount ?? "" })?.uid === uid;

const identities = new WeakMap<AccountToken, Identity>();

/** One object for each token, by which the door knows a caller again. */
function identityOf(token: AccountToken): Identity {
  let identity = identities.get(token);
  if (identity === undefined) {
    const { namespace, serviceAccount, uid, id } = token;
    identity = {
      user: `system:serviceaccount:${namespace}:${serviceAccount}`,
      uid,
      groups: ["system:serviceaccounts", `system:serviceaccounts:${namespace}`, "system:authenticated"],
      extra: { "authentication.kubernetes.io/credential-id": [`JTI=${id}`] },
    };
    identities.set(token, identity);
  }
  return identity;
}
