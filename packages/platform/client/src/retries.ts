import type { ApiRequest, ApiResponse, Transport } from "@trivium/kube";
import { pause } from "./rate-limit.ts";

export interface RetryOptions {
  readonly attempts?: number;
  readonly wait?: (ms: number, signal?: AbortSignal) => Promise<void>;
}

/**
 * Tries again what an overloaded server turned away. A 429 was not carried out, so any call may be repeated; after a 503
 * nobody knows, so only calls that mean the same twice are. A connection that broke before an answer is tried once more for reads:
 * the server may have closed a kept-alive connection at that moment. One that did not open in time carried nothing, so any call is
 * tried once more.
 */
export function withRetries(transport: Transport, options: RetryOptions = {}): Transport {
  const { attempts = 5, wait = pause } = options;
  return async (request) => {
    for (let attempt = 1; ; attempt += 1) {
      const response = await sent(transport, request, attempt);
      if (response === undefined) continue;
      const seconds = attempt < attempts ? retryAfter(request, response) : undefined;
      if (seconds === undefined) return response;
      await wait(seconds * 1000, request.signal);
    }
  };
}

/** The answer, or nothing when the call may simply be sent again. */
async function sent(transport: Transport, request: ApiRequest, attempt: number): Promise<ApiResponse | undefined> {
  try {
    return await transport(request);
  } catch (error) {
    if (attempt === 1 && !request.signal?.aborted && isWorthAnotherTry(request, error)) return undefined;
    throw error;
  }
}

const brokenConnection: readonly unknown[] = ["UND_ERR_SOCKET", "ECONNRESET", "EPIPE"];

function isWorthAnotherTry({ method }: ApiRequest, error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return code === "UND_ERR_CONNECT_TIMEOUT" || (method === "GET" && brokenConnection.includes(code));
}

/** Seconds to wait before the call is repeated, or nothing when it is not to be. Without the header the server did not ask for it. */
function retryAfter(request: ApiRequest, response: ApiResponse): number | undefined {
  const header = response.headers["retry-after"];
  if (typeof header !== "string" || !/^\d+$/.test(header)) return undefined;
  if (response.status === 429) return Number(header);
  return response.status === 503 && isIdempotent(request) ? Number(header) : undefined;
}

function isIdempotent(request: ApiRequest): boolean {
  if (request.method === "PATCH") return request.headers["content-type"] !== "application/json-patch+json";
  return request.method !== "POST";
}
