import { ApiError, type ApiResponse } from "@trivium/kube";
import { stringify } from "yaml";
import { warningHeaders } from "./body/warnings.ts";
import type { Call } from "./call.ts";
import { internal } from "./refusals.ts";
import type { Form } from "./view/forms.ts";

/** Answers to calls: JSON text out, in the encoding the caller wants. */
type Headers = Record<string, string | readonly string[]>;

const jsonHeaders: Headers = { "content-type": "application/json", "cache-control": "no-cache, private" };

export function respond(call: Call, code: number, json: string): ApiResponse {
  const { form } = call;
  const headers = withWarnings(jsonHeaders, call.warnings);
  if (form.encoding === "yaml") {
    return {
      status: code,
      headers: { ...headers, "content-type": "application/yaml" },
      body: stringify(JSON.parse(json), { sortMapEntries: true }),
    };
  }
  return { status: code, headers, body: json };
}

/** An answer in pieces, one line of JSON for each event. */
export function respondStream(call: Call, body: AsyncIterable<string>): ApiResponse {
  return { status: 200, headers: withWarnings(jsonHeaders, call.warnings), body };
}

function withWarnings(headers: Headers, warnings: readonly string[]): Headers {
  return warnings.length === 0 ? headers : { ...headers, warning: warningHeaders(warnings) };
}

/** What a call that failed is answered with. `form` and `warnings` are there when the call got that far. */
export function respondFailure(error: unknown, context: { form?: Form; warnings?: readonly string[] }): ApiResponse {
  const { status } = error instanceof ApiError ? error : internal(`Internal error occurred: ${messageOf(error)}`);
  const headers = withWarnings(jsonHeaders, context.warnings ?? []);
  const withRetry =
    status.details?.retryAfterSeconds === undefined
      ? headers
      : { ...headers, "retry-after": String(status.details.retryAfterSeconds) };
  if (context.form?.encoding === "yaml") {
    return {
      status: status.code ?? 500,
      headers: { ...withRetry, "content-type": "application/yaml" },
      body: stringify(status, { sortMapEntries: true }),
    };
  }
  return { status: status.code ?? 500, headers: withRetry, body: JSON.stringify(status) };
}

/** A value that is no error, or one without a text, would be shown as "undefined" or as nothing. */
const messageOf = (error: unknown): string =>
  error instanceof Error && error.message !== "" ? error.message : "the request failed in the API server; see its log";
