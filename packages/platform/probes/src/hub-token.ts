import { isObject, type Json } from "@trivium/std";
import { ask, type HttpClient, readText, WeightsError } from "@trivium/weights";

export interface HubLogin {
  readonly user: string;
  readonly password: string;
}

/** Docker Hub shows private repositories to whoever has a token of its own, which it gives for a login. */
export async function hubToken(
  { client, base }: { readonly client: HttpClient; readonly base: string },
  { user, password }: HubLogin,
  signal: AbortSignal,
): Promise<string> {
  const send = async (path: string, body: Readonly<Record<string, string>>): Promise<string> => {
    const url = new URL(`${base}${path}`);
    const shownAs = `${url.origin}${url.pathname}`;
    const fault = ({ status }: { status: number }) =>
      status === 401 || status === 403
        ? new WeightsError(
            "not-allowed",
            "TokenRejected",
            `${shownAs}: Docker Hub rejected the credentials of the pull secret`,
          )
        : undefined;
    const headers = { "content-type": "application/json", accept: "application/json" };
    const wanted = { method: "POST", headers, body: JSON.stringify(body), signal } as const;
    return tokenIn(await readText(await ask(client, { url, shownAs, fault }, wanted), shownAs), shownAs);
  };
  try {
    return await send("/v2/auth/token", { identifier: user, secret: password });
  } catch (error) {
    if (!(error instanceof WeightsError) || error.kind !== "not-found") throw error;
    return send("/v2/users/login", { username: user, password });
  }
}

function tokenIn(text: string, shownAs: string): string {
  const document = parsed(text);
  const token = isObject(document) ? (document.access_token ?? document.token) : undefined;
  if (typeof token === "string" && /^[\w.~+/=-]{1,8192}$/.test(token)) return token;
  throw new WeightsError("refused", "Rejected", `${shownAs}: the response contains no token`);
}

function parsed(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return null;
  }
}
