import { ApiError, type Status, type StatusReason } from "@trivium/kube";

/** The error of an answer that is no success: the server's own `Status`, or one made from the code when it sent none. */
export function errorOfAnswer(code: number, body: string, call: string): ApiError {
  const status = parseStatus(body);
  if (status !== undefined) return new ApiError({ ...status, code: status.code ?? code });
  const reported = body.trim().slice(0, 200);
  const message = `${call} failed with ${code}${reported === "" ? "" : `: ${reported}`}`;
  return new ApiError(failure(code, message, reasons[code]));
}

/** The error of a call that got no answer. Carries code 0. */
export function errorOfSilence(cause: unknown, call: string): ApiError {
  const error = new ApiError(failure(0, `${call} received no response: ${describe(cause)}`, undefined));
  error.cause = cause;
  return error;
}

export function errorOfStatus(value: unknown, call: string): ApiError {
  if (isStatus(value)) return new ApiError(value);
  return new ApiError(failure(500, `${call} sent an ERROR event without a Status`, "InternalError"));
}

export function failure(code: number, message: string, reason: StatusReason | undefined): Status {
  const head = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", message } as const;
  return reason === undefined ? { ...head, code } : { ...head, reason, code };
}

const reasons: Readonly<Record<number, StatusReason>> = {
  400: "BadRequest",
  401: "Unauthorized",
  403: "Forbidden",
  404: "NotFound",
  405: "MethodNotAllowed",
  406: "NotAcceptable",
  409: "Conflict",
  410: "Gone",
  413: "RequestEntityTooLarge",
  415: "UnsupportedMediaType",
  422: "Invalid",
  429: "TooManyRequests",
  500: "InternalError",
  503: "ServiceUnavailable",
  504: "Timeout",
};

function parseStatus(body: string): Status | undefined {
  if (!body.startsWith("{")) return undefined;
  try {
    const value: unknown = JSON.parse(body);
    return isStatus(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isStatus(value: unknown): value is Status {
  return typeof value === "object" && value !== null && (value as { kind?: unknown }).kind === "Status";
}

/** Connection errors hide what happened in `cause` and in lists of attempts. */
function describe(cause: unknown): string {
  if (cause instanceof AggregateError && cause.errors.length > 0) return describe(cause.errors[0]);
  if (!(cause instanceof Error)) return String(cause);
  if (cause.message === "" && cause.cause !== undefined) return describe(cause.cause);
  return cause.message || cause.name;
}
