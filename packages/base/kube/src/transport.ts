/**
 * How calls of the Kubernetes API travel: over HTTP, or into the embedded server without a socket.
 * A client is written once on top of this port.
 */
export type Transport = (request: ApiRequest) => Promise<ApiResponse>;

export interface ApiRequest {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE" | "HEAD" | "OPTIONS";
  /** Path with query, as in the request line: `/api/v1/pods?limit=500`. */
  readonly path: string;
  /** Header names are lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** The answer is wanted in pieces as it arrives, as watches and followed logs are without asking. */
  readonly isStreamed?: boolean | undefined;
}

export interface ApiResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** Whole for ordinary answers, in pieces for watches and followed logs. Pieces do not respect line ends. */
  readonly body: string | AsyncIterable<string>;
}
