import type { FieldError } from "@trivium/schema";
import type { JsonObject } from "@trivium/std";

/** The `Status` object that an API server answers with when a call did not succeed. */
export interface Status {
  kind: "Status";
  apiVersion: "v1";
  metadata: JsonObject;
  status: "Success" | "Failure";
  message?: string;
  reason?: StatusReason;
  details?: StatusDetails;
  code?: number;
}

export type StatusReason =
  | "Unauthorized"
  /** Of a command in a container: the exit code is among the causes. */
  | "NonZeroExitCode"
  | "Forbidden"
  | "NotFound"
  | "AlreadyExists"
  | "Conflict"
  | "Gone"
  | "Invalid"
  | "ServerTimeout"
  | "Timeout"
  | "TooManyRequests"
  | "BadRequest"
  | "MethodNotAllowed"
  | "NotAcceptable"
  | "RequestEntityTooLarge"
  | "UnsupportedMediaType"
  | "InternalError"
  | "Expired"
  | "ServiceUnavailable";

export interface StatusDetails {
  name?: string;
  group?: string;
  kind?: string;
  uid?: string;
  causes?: StatusCause[];
  retryAfterSeconds?: number;
}

export interface StatusCause {
  reason?: FieldError["reason"] | string;
  message?: string;
  field?: string;
}

/** A call that the API refused, or that did not reach it (`code` 0). */
export class ApiError extends Error {
  readonly status: Status;

  constructor(status: Status) {
    super(status.message ?? status.reason ?? "the API call failed");
    this.name = "ApiError";
    this.status = status;
  }

  get code(): number {
    return this.status.code ?? 0;
  }

  get reason(): StatusReason | undefined {
    return this.status.reason;
  }
}

export function isReason(error: unknown, ...reasons: StatusReason[]): error is ApiError {
  return error instanceof ApiError && error.reason !== undefined && reasons.includes(error.reason);
}
