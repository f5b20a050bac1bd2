import { readFile } from "node:fs/promises";

/** What proves to the server who calls: put on each request (authorization) or on each connection (certificate). */
export interface Login {
  readonly authorization?: string | undefined;
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
}

export interface Credentials {
  current(): Promise<Login>;
  /** The server refused the login. True when asking again may bring a better one. */
  refused(): boolean;
}

export function fixedCredentials(login: Login): Credentials {
  return { current: async () => login, refused: () => false };
}

/** Tokens of service accounts are rotated in place, so the file is read again when this old. */
const tokenFileFreshness = 60_000;

export function tokenFileCredentials(path: string, base: Login = {}): Credentials {
  return cachedCredentials(async () => {
    const token = (await readFile(path, "utf8")).trim();
    if (token === "") throw new Error(`token file ${path} is empty`);
    return { login: { ...base, authorization: `Bearer ${token}` }, goodUntil: Date.now() + tokenFileFreshness };
  });
}

export interface FreshLogin {
  readonly login: Login;
  readonly goodUntil: number;
}

/** Keeps a login until it expires or is refused; callers that come at once share one fetch. */
export function cachedCredentials(fetch: () => Promise<FreshLogin>): Credentials {
  let held: FreshLogin | undefined;
  let coming: Promise<FreshLogin> | undefined;
  const renew = (): Promise<FreshLogin> => {
    coming ??= fetch()
      .then((fresh) => {
        held = fresh;
        return fresh;
      })
      .finally(() => {
        coming = undefined;
      });
    return coming;
  };
  return {
    async current() {
      if (held !== undefined && Date.now() < held.goodUntil) return held.login;
      return (await renew()).login;
    },
    refused() {
      held = undefined;
      return true;
    },
  };
}
