/** An answer that is an error, in the shape of llama-server and OpenAI. */
export class ApiError extends Error {
  readonly status: number;
  readonly type: string;
  readonly more: Readonly<Record<string, unknown>>;

  constructor(status: number, type: string, message: string, more: Readonly<Record<string, unknown>> = {}) {
    super(message);
    this.status = status;
    this.type = type;
    this.more = more;
  }

  body(): string {
    return JSON.stringify({ error: { code: this.status, message: this.message, type: this.type, ...this.more } });
  }
}

export const badRequest = (message: string): ApiError => new ApiError(400, "invalid_request_error", message);
export const notSupported = (message: string): ApiError => new ApiError(501, "not_supported_error", message);
export const serverError = (message: string): ApiError => new ApiError(500, "server_error", message);
export const unavailable = (message: string): ApiError => new ApiError(503, "unavailable_error", message);
export const notFound = (): ApiError => new ApiError(404, "not_found_error", "File Not Found");
export const loadingModel = (): ApiError => unavailable("Loading model");

export const contextExceeded = (promptTokens: number, context: number): ApiError =>
  new ApiError(
    400,
    "exceed_context_size_error",
    `request (${promptTokens} tokens) exceeds the available context size (${context} tokens), try increasing it`,
    { n_prompt_tokens: promptTokens, n_ctx: context },
  );
