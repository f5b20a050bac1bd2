import { isObject, type Json } from "@trivium/std";
import { badRequest } from "../../refusals.ts";

/** Where a list in pages goes on: the revision of its first page and the last object shown. Opaque to clients. */
export interface ContinueToken {
  readonly revision: number;
  readonly after: { readonly namespace: string; readonly name: string };
}

export function formatContinue({ revision, after }: ContinueToken): string {
  const start = `${after.namespace}/${after.name}\u0000`;
  return Buffer.from(JSON.stringify({ v: "meta.k8s.io/v1", rv: revision, start })).toString("base64url");
}

export function parseContinue(token: string): ContinueToken {
  const value = readToken(token);
  if (!isObject(value) || value.v !== "meta.k8s.io/v1") {
    const version = isObject(value) ? String(value.v ?? "") : "";
    throw broken(`continue key is not valid: server does not recognize this encoded version ${version}`);
  }
  const { rv, start } = value;
  if (typeof rv !== "number" || !Number.isSafeInteger(rv) || rv < 1)
    throw broken("continue key is not valid: incorrect encoded start resourceVersion (version meta.k8s.io/v1)");
  if (typeof start !== "string" || !start.includes("/"))
    throw broken("continue key is not valid: encoded start key empty");
  const slash = start.indexOf("/");
  const name = start.slice(slash + 1, start.endsWith("\u0000") ? -1 : undefined);
  return {
    revision: rv,
    after: { namespace: start.slice(0, slash), name },
  };
}

function readToken(token: string): Json {
  if (!/^[A-Za-z0-9_-]+=*$/.test(token)) throw broken("continue key is not valid: illegal base64 data at input byte 0");
  const bytes = Buffer.from(token, "base64url");
  try {
    return JSON.parse(bytes.toString("utf8")) as Json;
  } catch {
    const first = bytes[0] ?? 0;
    const shown =
      first >= 32 && first < 127 ? String.fromCharCode(first) : `\\u00${first.toString(16).padStart(2, "0")}`;
    throw broken(`continue key is not valid: invalid character '${shown}' looking for beginning of value`);
  }
}

const broken = (why: string) => badRequest(`invalid continue token: ${why}`);
