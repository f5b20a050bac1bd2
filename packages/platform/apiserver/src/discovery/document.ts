import { createHash } from "node:crypto";
import type { ApiRequest, ApiResponse, Status, StatusReason } from "@trivium/kube";

/** Answers the paths it knows and leaves the others, by `undefined`, to whoever is asked next. */
export type DocumentSource = (request: ApiRequest) => ApiResponse | undefined;

export function jsonAnswer(body: string, headers: Record<string, string> = {}): ApiResponse {
  return { status: 200, headers: { "content-type": "application/json", ...headers }, body };
}

export function refusal(code: number, reason: StatusReason, message: string): ApiResponse {
  const status: Status = {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message,
    reason,
    ...(code === 404 ? { details: {} } : {}),
    code,
  };
  return { status: code, headers: { "content-type": "application/json" }, body: JSON.stringify(status) };
}

export const pageNotFound: ApiResponse = {
  status: 404,
  headers: { "content-type": "text/plain; charset=utf-8", "x-content-type-options": "nosniff" },
  body: "404 page not found\n",
};

export function notAcceptable(accepted: string): ApiResponse {
  return refusal(406, "NotAcceptable", `only the following media types are accepted: ${accepted}`);
}

export function etagOf(text: string): string {
  return `"${createHash("sha512").update(text).digest("hex").toUpperCase()}"`;
}
