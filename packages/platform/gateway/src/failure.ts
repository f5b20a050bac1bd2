/** Why a request gets no answer of a model, for whoever sent it. */
export interface Failure {
  readonly status: number;
  /** Machine-readable, as OpenAI clients know it. */
  readonly code: string;
  readonly message: string;
  readonly retryAfter?: number;
}

export class FailedRequest extends Error {
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(failure.message);
    this.failure = failure;
  }
}

export const fail = (status: number, code: string, message: string): Failure => ({ status, code, message });

/** The form of errors that OpenAI's clients read. */
export function openAiError({ status, code, message }: Failure): string {
  return JSON.stringify({
    error: { message, type: typeOf(status), param: code === "model_not_found" ? "model" : null, code },
  });
}

function typeOf(status: number): string {
  if (status === 401) return "authentication_error";
  if (status === 429) return "rate_limit_error";
  return status < 500 ? "invalid_request_error" : "server_error";
}
