import { callApi, textOf } from "@trivium/client";
import type { Connection } from "../connection.ts";
import type { UserInfo } from "../contract.ts";

const review = JSON.stringify({ apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" });

interface Reviewed {
  readonly status?: { readonly userInfo?: { readonly username?: string; readonly groups?: readonly string[] } };
}

/** Who the API takes the caller for. Throws the answer of an API that refuses it. */
export async function identify({ transport }: Connection, signal: AbortSignal): Promise<UserInfo> {
  const response = await callApi(transport, {
    method: "POST",
    path: "/apis/authentication.k8s.io/v1/selfsubjectreviews",
    headers: { accept: "application/json", "content-type": "application/json" },
    body: review,
    signal,
  });
  const { username = "unknown", groups = [] } = (JSON.parse(await textOf(response)) as Reviewed).status?.userInfo ?? {};
  return { name: username, groups };
}

/** When a token says that it expires. It is not verified here: the API server does that with each call. */
export function expiryOf(token: string): number | undefined {
  const [, payload, signature] = token.split(".");
  if (payload === undefined || signature === undefined) return undefined;
  try {
    const { exp } = JSON.parse(Buffer.from(payload, "base64url").toString("utf8")) as { exp?: unknown };
    return typeof exp === "number" ? exp * 1000 : undefined;
  } catch {
    return undefined;
  }
}
