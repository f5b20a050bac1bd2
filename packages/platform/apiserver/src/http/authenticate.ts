import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { PeerCertificate, TLSSocket } from "node:tls";
import type { Identity } from "../identity.ts";
import { adminGroup, adminUser, type ServerIdentity } from "./server-identity.ts";

/** Who sent a request, or undefined when it does not prove it. */
export type Authenticate = (request: IncomingMessage) => Identity | undefined;

/** Finds the owner of a bearer token other than the administrator's, such as a service account's. */
export type TokenLookup = (token: string) => Identity | undefined;

const everyone = "system:authenticated";
const admin: Identity = { user: adminUser, groups: [adminGroup, everyone] };

/** A valid bearer token, or else a client certificate that our authority signed: CN is the user, each O a group. */
export function createAuthenticator(identity: ServerIdentity, lookup?: TokenLookup): Authenticate {
  const ownerOf = adminByToken(identity);
  const byCertificate = new WeakMap<TLSSocket, Identity | null>();
  return (request) => {
    const token = bearerTokenOf(request.headers.authorization);
    if (token !== undefined) return ownerOf(token) ?? lookup?.(token);
    if (request.headers.authorization !== undefined) return undefined;
    const socket = request.socket as TLSSocket;
    let known = byCertificate.get(socket);
    if (known === undefined) {
      known = identityOfPeer(socket) ?? null;
      byCertificate.set(socket, known);
    }
    return known ?? undefined;
  };
}

/** Knows the token of the administrator, and no other. */
export function adminByToken(identity: ServerIdentity): TokenLookup {
  const expected = digestOf(identity.token);
  return (token) => (timingSafeEqual(digestOf(token), expected) ? admin : undefined);
}

/** Compared by digest, so that neither content nor length of the token can be timed. */
function digestOf(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}

function bearerTokenOf(header: string | undefined): string | undefined {
  return /^bearer +([^\s]+)\s*$/i.exec(header ?? "")?.[1];
}

function identityOfPeer(socket: TLSSocket): Identity | undefined {
  if (!socket.authorized) return undefined;
  const peer: Partial<PeerCertificate> = socket.getPeerCertificate();
  const [user] = listOf(peer.subject?.CN);
  if (user === undefined) return undefined;
  return { user, groups: [...listOf(peer.subject?.O), everyone] };
}

function listOf(value: string | string[] | undefined): string[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? value : [value];
}
